package org.apache.kafka.clients.producer.internals;

import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * Kafka's own sticky partitioner, which asks us instead of chance. In Kafka's package, because the
 * draw can be replaced only there.
 */
public final class ScriptedDraws extends BuiltInPartitioner {
    private final Supplier<List<Integer>> order;
    private final IntSupplier wanted;

    private ScriptedDraws(String topic, int batchSize, Supplier<List<Integer>> order, IntSupplier wanted) {
        super(new LogContext(), topic, batchSize, false, "");
        this.order = order;
        this.wanted = wanted;
    }

    /** {@code order}: the partitions as the client lists them; {@code wanted}: which one to draw. */
    public static void install(RecordAccumulator accumulator, String topic, int batchSize,
            Supplier<List<Integer>> order, IntSupplier wanted) {
        ScriptedDraws draws = new ScriptedDraws(topic, batchSize, order, wanted);
        accumulator.topicInfoMap.put(topic, new RecordAccumulator.TopicInfo(draws));
    }

    @Override
    int randomPartition() {
        return Math.max(0, order.get().indexOf(wanted.getAsInt()));
    }
}
