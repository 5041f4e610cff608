package org.apache.kafka.clients.producer.internals;

import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * Kafka's own sticky partitioner, which asks us instead of chance. In Kafka's package, because the
 * draw can be replaced only there.
 */
public final class ScriptedDraws extends BuiltInPartitioner {
    private final Supplier<List<Integer>> order;
    private final Wanted wanted;

    private boolean isAfterAppend;

    /** Which partition to draw: for the record at hand, or, after it was appended, for the next. */
    public interface Wanted {
        int partition(boolean isForNext);
    }

    private ScriptedDraws(String topic, int batchSize, Supplier<List<Integer>> order, Wanted wanted) {
        super(new LogContext(), topic, batchSize, false, "");
        this.order = order;
        this.wanted = wanted;
    }

    /** {@code order}: the partitions as the client lists them; {@code wanted}: which one to draw. */
    public static void install(RecordAccumulator accumulator, String topic, int batchSize,
            Supplier<List<Integer>> order, Wanted wanted) {
        ScriptedDraws draws = new ScriptedDraws(topic, batchSize, order, wanted);
        accumulator.topicInfoMap.put(topic, new RecordAccumulator.TopicInfo(draws));
    }

    @Override
    int randomPartition() {
        return Math.max(0, order.get().indexOf(wanted.partition(isAfterAppend)));
    }

    @Override
    void updatePartitionInfo(StickyPartitionInfo info, int appendedBytes, Cluster cluster, boolean enableSwitch) {
        // Without bytes it is looked at before a record is put into a new batch.
        isAfterAppend = appendedBytes > 0;
        super.updatePartitionInfo(info, appendedBytes, cluster, enableSwitch);
        isAfterAppend = false;
    }
}
