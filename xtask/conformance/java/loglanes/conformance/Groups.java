package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.tools.consumer.group.ResetTool;

/** What consumers and their administrators do. */
final class Groups {
    private static final int READ_SECONDS = 30;

    private final String bootstrap;
    private final Admin admin;

    Groups(String bootstrap, Admin admin) {
        this.bootstrap = bootstrap;
        this.admin = admin;
    }

    /** A consumer joins alone, reads to the ends of its partitions, commits and closes. */
    ObjectNode consume(JsonNode act) throws Exception {
        String group = act.get("group").asText();
        Map<String, Object> settings = Map.of(
                "isolation.level", act.path("isolation").asText("read_uncommitted"),
                "bootstrap.servers", bootstrap,
                "group.id", group,
                "group.protocol", act.get("protocol").asText(),
                "client.id", "m1",
                "enable.auto.commit", false,
                "auto.offset.reset", act.get("reset").asText());
        List<String> topics = new ArrayList<>();
        act.get("topics").forEach(topic -> topics.add(topic.asText()));
        ObjectNode answer = Driver.JSON.createObjectNode();
        var bytes = new ByteArrayDeserializer();
        try (var consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            consumer.subscribe(topics);
            answer.set("read", readAll(consumer, partitionsOf(topics), admin));
            if (act.hasNonNull("commit")) {
                Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                act.get("commit").forEach(one -> offsets.put(
                        new TopicPartition(one.get("topic").asText(), one.get("partition").asInt()),
                        new OffsetAndMetadata(one.get("offset").asLong())));
                consumer.commitSync(offsets);
            } else {
                consumer.commitSync();
            }
        }
        answer.set("committed", committed(group));
        return answer;
    }

    private int partitionsOf(List<String> topics) throws Exception {
        return admin.describeTopics(topics).allTopicNames().get().values().stream()
                .mapToInt(topic -> topic.partitions().size())
                .sum();
    }

    /**
     * Of each partition how many records came, and the offsets of the first and the last. Alone in
     * its group the consumer gets all partitions; the coordinator may know of new ones a moment later.
     */
    private static ObjectNode readAll(KafkaConsumer<byte[], byte[]> consumer, int partitions, Admin admin)
            throws Exception {
        ObjectNode read = Driver.JSON.createObjectNode();
        long deadline = System.nanoTime() + Duration.ofSeconds(READ_SECONDS).toNanos();
        boolean isAtEnd = false;
        while (!isAtEnd) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("a consumer does not get to the end");
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
                String at = record.topic() + "-" + record.partition();
                long count = read.path(at).path(0).asLong();
                long first = count == 0 ? record.offset() : read.path(at).path(1).asLong();
                read.putArray(at).add(count + 1).add(first).add(record.offset());
            }
            Set<TopicPartition> assigned = consumer.assignment();
            Map<TopicPartition, Long> ends = consumer.endOffsets(assigned);
            Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
            assigned.forEach(at -> latest.put(at, OffsetSpec.latest()));
            var highWatermarks = admin.listOffsets(latest).all().get();
            // A position past the end is believed only until it is fetched from; one that another
            // has committed may be past what a reader of committed records is given.
            isAtEnd = assigned.size() == partitions
                    && assigned.stream().allMatch(at -> consumer.position(at) >= ends.get(at)
                            && consumer.position(at) <= highWatermarks.get(at).offset());
        }
        return read;
    }

    /** Kafka's own tool, in this process. */
    ObjectNode resetOffsets(JsonNode act) throws Exception {
        String group = act.get("group").asText();
        List<String> arguments = new ArrayList<>(List.of(
                "--bootstrap-server", bootstrap, "--group", group, "--reset-offsets", "--execute"));
        Path plan = null;
        if (act.hasNonNull("plan")) {
            plan = Files.writeString(Files.createTempFile("plan", ".csv"), act.get("plan").asText());
            arguments.addAll(List.of("--from-file", plan.toString()));
        } else if (act.hasNonNull("topics")) {
            act.get("topics").forEach(topic -> arguments.addAll(List.of("--topic", topic.asText())));
        } else {
            arguments.add("--all-topics");
        }
        act.get("arguments").forEach(argument -> arguments.add(argument.asText()));
        ObjectNode rows = Driver.JSON.createObjectNode();
        try {
            ResetTool.run(group, arguments.toArray(String[]::new))
                    .forEach((at, offset) -> rows.put(at.toString(), offset.offset()));
        } finally {
            if (plan != null) {
                Files.delete(plan);
            }
        }
        ObjectNode answer = Driver.JSON.createObjectNode();
        answer.set("reset", rows);
        return answer;
    }

    ObjectNode delete(String group) throws Exception {
        admin.deleteConsumerGroups(Set.of(group)).all().get();
        return Driver.JSON.createObjectNode();
    }

    /** Until no group has a commit on a deleted topic: they go a moment later. */
    void awaitForgotten(String topic) throws Exception {
        for (int attempt = 0; attempt < 200; attempt++) {
            boolean isThere = false;
            for (var group : admin.listGroups().all().get()) {
                var offsets = admin.listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata().get();
                isThere |= offsets.keySet().stream().anyMatch(at -> at.topic().equals(topic));
            }
            if (!isThere) {
                return;
            }
            Thread.sleep(50);
        }
    }

    /** What each of some groups has committed. */
    ObjectNode committed(ArrayNode groups) throws Exception {
        ObjectNode committed = Driver.JSON.createObjectNode();
        for (JsonNode group : groups) {
            committed.set(group.asText(), committed(group.asText()));
        }
        return committed;
    }

    private ObjectNode committed(String group) throws Exception {
        ObjectNode offsets = Driver.JSON.createObjectNode();
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
                .forEach((at, offset) -> offsets.put(at.toString(), offset.offset()));
        return offsets;
    }
}
