package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumers that stay: groups of several members, polled in turn until they have settled. */
final class Members implements AutoCloseable {
    private static final int SETTLE_SECONDS = 40;
    /** For how long nothing must have changed. */
    private static final int QUIET_MS = 300;

    private final String bootstrap;
    private final Admin admin;
    private final Map<String, TreeMap<String, KafkaConsumer<byte[], byte[]>>> groups = new HashMap<>();

    Members(String bootstrap, Admin admin) {
        this.bootstrap = bootstrap;
        this.admin = admin;
    }

    /** A member joins or leaves, or the group is only waited for; then who has what. */
    ObjectNode carryOut(JsonNode act) throws Exception {
        String group = act.get("group").asText();
        var members = groups.computeIfAbsent(group, none -> new TreeMap<>());
        switch (act.get("type").asText()) {
            case "join" -> {
                var bytes = new ByteArrayDeserializer();
                var consumer = new KafkaConsumer<>(settings(act), bytes, bytes);
                List<String> topics = new ArrayList<>();
                act.get("topics").forEach(topic -> topics.add(topic.asText()));
                consumer.subscribe(topics);
                members.put(act.get("member").asText(), consumer);
            }
            case "leave" -> members.remove(act.get("member").asText()).close();
            default -> { }
        }
        settle(group, members);
        ObjectNode assignment = Driver.JSON.createObjectNode();
        members.forEach((name, consumer) -> {
            ArrayNode owned = assignment.putArray(name);
            assigned(consumer).forEach(owned::add);
        });
        ObjectNode answer = Driver.JSON.createObjectNode();
        answer.set("assignment", assignment);
        return answer;
    }

    private Map<String, Object> settings(JsonNode act) {
        Class<?> assignor = switch (act.get("assignors").get(0).asText()) {
            case "range" -> RangeAssignor.class;
            case "roundrobin" -> RoundRobinAssignor.class;
            case "sticky" -> StickyAssignor.class;
            default -> CooperativeStickyAssignor.class;
        };
        return Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", act.get("group").asText(),
                "client.id", act.get("member").asText(),
                "partition.assignment.strategy", assignor.getName(),
                "enable.auto.commit", false,
                "heartbeat.interval.ms", 100,
                // Added partitions are to be noticed soon.
                "metadata.max.age.ms", 300);
    }

    private static TreeSet<String> assigned(KafkaConsumer<byte[], byte[]> consumer) {
        TreeSet<String> owned = new TreeSet<>();
        consumer.assignment().forEach(at -> owned.add(at.toString()));
        return owned;
    }

    /**
     * Until every partition that somebody wants has one owner, every member has what the coordinator
     * has given to it, and that has not changed for a moment.
     */
    private void settle(String group, TreeMap<String, KafkaConsumer<byte[], byte[]>> members) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(SETTLE_SECONDS).toNanos();
        List<Set<String>> before = List.of();
        long since = System.nanoTime();
        while (!members.isEmpty()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the group " + group + " does not settle");
            }
            List<Set<String>> now = new ArrayList<>();
            for (var consumer : members.values()) {
                consumer.poll(Duration.ofMillis(10));
                now.add(assigned(consumer));
            }
            if (!now.equals(before)) {
                before = now;
                since = System.nanoTime();
            }
            boolean isQuiet = System.nanoTime() - since > Duration.ofMillis(QUIET_MS).toNanos();
            if (isQuiet && isComplete(group, members)) {
                return;
            }
        }
    }

    /** A member that has not heard of a rebalance still has what it had: the coordinator knows better. */
    private boolean isComplete(String group, TreeMap<String, KafkaConsumer<byte[], byte[]>> members)
            throws Exception {
        Set<String> topics = new TreeSet<>();
        members.values().forEach(consumer -> topics.addAll(consumer.subscription()));
        int partitions = admin.describeTopics(topics).allTopicNames().get().values().stream()
                .mapToInt(topic -> topic.partitions().size()).sum();
        var described = admin.describeConsumerGroups(Set.of(group)).all().get().get(group);
        Map<String, Set<TopicPartition>> given = new HashMap<>();
        described.members().forEach(one -> given.put(one.clientId(), one.assignment().topicPartitions()));
        Map<String, Set<TopicPartition>> owned = new HashMap<>();
        members.forEach((name, consumer) -> owned.put(name, consumer.assignment()));
        return described.groupState() == GroupState.STABLE
                && owned.values().stream().mapToInt(Set::size).sum() == partitions
                && owned.equals(given);
    }

    @Override
    public void close() {
        groups.values().forEach(members -> members.values().forEach(KafkaConsumer::close));
        groups.clear();
    }
}
