package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Consumers that stay: groups of several members, polled in turn until they have settled. */
final class Members implements AutoCloseable {
    private static final int SETTLE_SECONDS = 40;
    /** For how long nothing must have changed. */
    private static final int QUIET_MS = 300;

    private final String bootstrap;
    private final Admin admin;
    private final Map<String, TreeMap<String, KafkaConsumer<byte[], byte[]>>> groups = new HashMap<>();
    /** How each member joined, by group and name: so it comes back. */
    private final Map<String, JsonNode> joins = new HashMap<>();

    Members(String bootstrap, Admin admin) {
        this.bootstrap = bootstrap;
        this.admin = admin;
    }

    /** Members join, leave, die, come back or are given up, or are only waited for; then who has what. */
    ObjectNode carryOut(JsonNode act) throws Exception {
        if (act.get("type").asText().equals("advanceClock")) {
            // A history of members has one group.
            String group = groups.keySet().iterator().next();
            awaitSessionEnds(group);
            return settled(group);
        }
        String group = act.get("group").asText();
        var members = groups.computeIfAbsent(group, none -> new TreeMap<>());
        switch (act.get("type").asText()) {
            case "join" -> join(act);
            case "restart" -> join(joins.get(group + "/" + act.get("member").asText()));
            case "leave" -> members.remove(act.get("member").asText()).close();
            // Without a word to the group.
            case "crash" -> members.remove(act.get("member").asText()).close(CloseOptions.timeout(Duration.ZERO)
                    .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
            default -> { }
        }
        return settled(group);
    }

    private void join(JsonNode act) {
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(settings(act), bytes, bytes);
        List<String> topics = new ArrayList<>();
        act.get("topics").forEach(topic -> topics.add(topic.asText()));
        consumer.subscribe(topics);
        String group = act.get("group").asText();
        String member = act.get("member").asText();
        joins.put(group + "/" + member, act);
        groups.get(group).put(member, consumer);
    }

    private ObjectNode settled(String group) throws Exception {
        var members = groups.get(group);
        settle(group, members);
        ObjectNode assignment = Driver.JSON.createObjectNode();
        members.forEach((name, consumer) -> {
            ArrayNode owned = assignment.putArray(name);
            assigned(consumer).forEach(owned::add);
        });
        ObjectNode answer = Driver.JSON.createObjectNode();
        answer.put("group", group);
        answer.set("assignment", assignment);
        return answer;
    }

    /** Until the coordinator has none left of the members that are gone. */
    private void awaitSessionEnds(String group) throws Exception {
        var members = groups.get(group);
        long deadline = System.nanoTime() + Duration.ofSeconds(SETTLE_SECONDS).toNanos();
        while (described(group).stream().mapToInt(one -> one.members().size()).sum() > members.size()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the group " + group + " keeps members that are gone");
            }
            for (var consumer : members.values()) {
                consumer.poll(Duration.ofMillis(10));
            }
            Thread.sleep(10);
        }
    }

    /** What a transactional producer commits offsets for. */
    ConsumerGroupMetadata metadata(String group, String member) {
        return groups.get(group).get(member).groupMetadata();
    }

    private Map<String, Object> settings(JsonNode act) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", act.get("group").asText());
        settings.put("client.id", act.get("member").asText());
        settings.put("enable.auto.commit", false);
        // Added partitions are to be noticed soon.
        settings.put("metadata.max.age.ms", 300);
        if (act.hasNonNull("instanceId")) {
            settings.put("group.instance.id", act.get("instanceId").asText());
        }
        if (act.path("protocol").asText().equals("consumer")) {
            settings.put("group.protocol", "consumer");
            settings.put("group.remote.assignor", act.get("remoteAssignor").asText());
            return settings;
        }
        Class<?> assignor = switch (act.get("assignors").get(0).asText()) {
            case "range" -> RangeAssignor.class;
            case "roundrobin" -> RoundRobinAssignor.class;
            case "sticky" -> StickyAssignor.class;
            default -> CooperativeStickyAssignor.class;
        };
        settings.put("partition.assignment.strategy", assignor.getName());
        settings.put("heartbeat.interval.ms", 100);
        settings.put("session.timeout.ms", RealBroker.SESSION_MS);
        return settings;
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

    /** None before its first member is there. */
    private Optional<ConsumerGroupDescription> described(String group) throws Exception {
        try {
            return Optional.of(admin.describeConsumerGroups(Set.of(group)).all().get().get(group));
        } catch (ExecutionException refused) {
            if (refused.getCause() instanceof GroupIdNotFoundException) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    /** A member that has not heard of a rebalance still has what it had: the coordinator knows better. */
    private boolean isComplete(String group, TreeMap<String, KafkaConsumer<byte[], byte[]>> members)
            throws Exception {
        Set<String> topics = new TreeSet<>();
        members.values().forEach(consumer -> topics.addAll(consumer.subscription()));
        int partitions = admin.describeTopics(topics).allTopicNames().get().values().stream()
                .mapToInt(topic -> topic.partitions().size()).sum();
        Optional<ConsumerGroupDescription> found = described(group);
        if (found.isEmpty()) {
            return false;
        }
        ConsumerGroupDescription described = found.get();
        Map<String, Set<TopicPartition>> given = new HashMap<>();
        described.members().forEach(one -> given.put(one.clientId(), one.assignment().topicPartitions()));
        Map<String, Set<TopicPartition>> owned = new HashMap<>();
        members.forEach((name, consumer) -> owned.put(name, consumer.assignment()));
        int all = given.values().stream().mapToInt(Set::size).sum();
        // With the consumer protocol a static member that is gone leaves its group reconciling.
        boolean isSettled = described.groupState() == GroupState.STABLE || given.size() > owned.size();
        // What is given to members that are gone is theirs until their sessions end.
        given.keySet().retainAll(owned.keySet());
        return isSettled && all == partitions && owned.equals(given);
    }

    /** Everybody leaves; those that are gone without a word are waited for. */
    void clear() throws Exception {
        List<String> left = List.copyOf(groups.keySet());
        close();
        for (String group : left) {
            groups.put(group, new TreeMap<>());
            awaitSessionEnds(group);
        }
        groups.clear();
    }

    @Override
    public void close() {
        // A static member would belong to the group for a while yet.
        var leave = CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP);
        groups.values().forEach(members -> members.values().forEach(consumer -> consumer.close(leave)));
        groups.clear();
        joins.clear();
    }
}
