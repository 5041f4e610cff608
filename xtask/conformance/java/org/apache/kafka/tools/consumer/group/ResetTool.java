package org.apache.kafka.tools.consumer.group;

import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.internals.Exit;

/** {@code kafka-consumer-groups --reset-offsets}, in Kafka's package because it is open only there. */
public final class ResetTool {
    private ResetTool() {}

    /** The tool would end with this text. */
    public static final class Refusal extends RuntimeException {
        Refusal(String message) {
            super(message);
        }
    }

    /** Runs the tool with the arguments of a command line: what it has committed in the group. */
    public static Map<TopicPartition, OffsetAndMetadata> run(String group, String... arguments) throws Exception {
        Exit.setExitProcedure((code, message) -> {
            throw new Refusal(message);
        });
        ConsumerGroupCommandOptions options = ConsumerGroupCommandOptions.fromArgs(arguments);
        try (var service = new ConsumerGroupCommand.ConsumerGroupService(options, Map.of())) {
            return service.resetOffsets().getOrDefault(group, Map.of());
        } finally {
            Exit.resetExitProcedure();
        }
    }
}
