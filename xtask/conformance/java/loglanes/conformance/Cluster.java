package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The acts of a history, by the names that the product gives them, done with Kafka's clients. */
final class Cluster implements AutoCloseable {
    private final RealBroker broker;
    private final Admin admin;
    private final Producers producers;
    private final Groups groups;
    private final Transactions transactions;
    private final Members members;

    Cluster(RealBroker broker) {
        this.broker = broker;
        this.admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap(), "default.api.timeout.ms", 10_000, "request.timeout.ms", 5_000));
        this.producers = new Producers(broker.bootstrap(), () -> admin.listTopics().names().get());
        this.groups = new Groups(broker.bootstrap(), admin);
        this.members = new Members(broker.bootstrap(), admin);
        this.transactions = new Transactions(broker.bootstrap(), admin, members);
    }

    JsonNode carryOut(JsonNode act) throws Exception {
        return switch (act.get("type").asText()) {
            case "createTopic" -> createTopic(act);
            case "deleteTopic" -> {
                ObjectNode deleted = deleteTopic(act.get("name").asText());
                groups.awaitForgotten(act.get("name").asText());
                yield deleted;
            }
            case "createPartitions" -> createPartitions(act);
            case "send" -> producers.send(act);
            case "alterConfigs" -> alterConfigs(act);
            case "deleteRecords" -> deleteRecords(act);
            case "runRetention" -> {
                broker.runRetention();
                yield done();
            }
            case "runCleaner" -> {
                broker.runCleaner();
                yield done();
            }
            case "createProducer", "closeProducer", "killProducer", "initTransactions", "beginTransaction",
                    "commitTransaction", "abortTransaction", "produce", "sendOffsets" -> transactions.carryOut(act);
            case "join", "leave", "crash", "restart", "advanceClock", "refreshMetadata" -> members.carryOut(act);
            case "dump" -> Dumps.dump(act);
            case "consume" -> groups.consume(act);
            case "resetOffsets" -> groups.resetOffsets(act);
            case "deleteGroup" -> groups.delete(act.get("group").asText());
            case "describe" -> describe(act);
            case "read" -> read(act);
            case "clear" -> clear();
            default -> throw new IllegalArgumentException("no such act: " + act);
        };
    }

    private static ObjectNode done() {
        return Driver.JSON.createObjectNode();
    }

    private ObjectNode createTopic(JsonNode act) throws Exception {
        String name = act.get("name").asText();
        Optional<Integer> partitions = Optional.ofNullable(act.get("partitions")).map(JsonNode::asInt);
        Optional<Short> replicas =
                Optional.ofNullable(act.get("replicationFactor")).map(factor -> (short) factor.asInt());
        Map<String, String> configs = new HashMap<>();
        act.path("configs").properties().forEach(one -> configs.put(one.getKey(), one.getValue().asText()));
        admin.createTopics(Set.of(new NewTopic(name, partitions, replicas).configs(configs))).all().get();
        await(name, partitions.filter(count -> count != -1).orElse(1));
        return done();
    }

    /** Until the broker itself knows of every partition and its leader. */
    private void await(String name, int partitions) throws Exception {
        for (int attempt = 0; attempt < 200; attempt++) {
            try {
                TopicDescription topic = admin.describeTopics(Set.of(name)).allTopicNames().get().get(name);
                boolean led = topic.partitions().stream().allMatch(one -> one.leader() != null);
                if (topic.partitions().size() == partitions && led) {
                    return;
                }
            } catch (java.util.concurrent.ExecutionException notYet) {
                // Asked again below.
            }
            Thread.sleep(10);
        }
    }

    private ObjectNode deleteTopic(String name) throws Exception {
        admin.deleteTopics(Set.of(name)).all().get();
        producers.forget(name);
        for (int attempt = 0; attempt < 200 && admin.listTopics().names().get().contains(name); attempt++) {
            Thread.sleep(10);
        }
        return done();
    }

    private ObjectNode createPartitions(JsonNode act) throws Exception {
        String topic = act.get("topic").asText();
        int total = act.get("total").asInt();
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all().get();
        await(topic, total);
        producers.refresh(topic);
        return done();
    }

    private ObjectNode alterConfigs(JsonNode act) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, act.get("topic").asText());
        List<AlterConfigOp> ops = new ArrayList<>();
        for (JsonNode op : act.get("ops")) {
            String value = op.hasNonNull("value") ? op.get("value").asText() : null;
            var kind = AlterConfigOp.OpType.valueOf(op.get("op").asText().toUpperCase(java.util.Locale.ROOT));
            ops.add(new AlterConfigOp(new ConfigEntry(op.get("name").asText(), value), kind));
        }
        admin.incrementalAlterConfigs(Map.of(topic, (Collection<AlterConfigOp>) ops)).all().get();
        // In force once the broker has it, too; its log is told in the same step.
        awaitConfigs(topic, ops);
        return done();
    }

    private void awaitConfigs(ConfigResource topic, List<AlterConfigOp> ops) throws Exception {
        for (int attempt = 0; attempt < 200; attempt++) {
            var now = admin.describeConfigs(Set.of(topic)).all().get().get(topic);
            boolean there = ops.stream().allMatch(op -> {
                ConfigEntry entry = now.get(op.configEntry().name());
                boolean given = entry != null && entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG;
                return switch (op.opType()) {
                    case SET -> given;
                    case DELETE -> !given;
                    default -> true;
                };
            });
            if (there) {
                break;
            }
            Thread.sleep(5);
        }
        // A value that was given before cannot be told from the new one by its source.
        Thread.sleep(30);
    }

    private ObjectNode deleteRecords(JsonNode act) throws Exception {
        TopicPartition at = new TopicPartition(act.get("topic").asText(), act.get("partition").asInt());
        RecordsToDelete before = RecordsToDelete.beforeOffset(act.get("before").asLong());
        long start = admin.deleteRecords(Map.of(at, before)).lowWatermarks().get(at).get().lowWatermark();
        return done().put("logStartOffset", start);
    }

    /** Offsets of every partition of the topics asked for, look-ups by time, configs, and commits. */
    private ObjectNode describe(JsonNode act) throws Exception {
        ObjectNode topics = done();
        for (JsonNode asked : act.get("topics")) {
            String name = asked.asText();
            TopicDescription topic = admin.describeTopics(Set.of(name)).allTopicNames().get().get(name);
            ArrayNode partitions = Driver.JSON.createArrayNode();
            for (int number = 0; number < topic.partitions().size(); number++) {
                TopicPartition at = new TopicPartition(name, number);
                ObjectNode one = done();
                one.put("logStartOffset", offset(at, OffsetSpec.earliest()).offset());
                one.put("highWatermark", offset(at, OffsetSpec.latest()).offset());
                one.put("lastStableOffset", stableOffset(at));
                one.set("maxTimestamp", found(offset(at, OffsetSpec.maxTimestamp())));
                ArrayNode times = Driver.JSON.createArrayNode();
                for (JsonNode time : act.get("times")) {
                    times.add(found(offset(at, OffsetSpec.forTimestamp(time.asLong()))));
                }
                one.set("times", times);
                partitions.add(one);
            }
            ObjectNode described = done();
            described.set("partitions", partitions);
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
            ObjectNode configs = done();
            for (ConfigEntry entry : admin.describeConfigs(Set.of(resource)).all().get().get(resource).entries()) {
                ArrayNode value = Driver.JSON.createArrayNode();
                value.add(entry.value()).add(entry.source().name());
                configs.set(entry.name(), value);
            }
            described.set("configs", configs);
            topics.set(name, described);
        }
        ObjectNode answer = done();
        answer.set("topics", topics);
        answer.set("producerIds", transactions.told());
        answer.set("committed", groups.committed((ArrayNode) act.get("groups")));
        return answer;
    }

    private ListOffsetsResultInfo offset(TopicPartition at, OffsetSpec spec) throws Exception {
        return admin.listOffsets(Map.of(at, spec)).partitionResult(at).get();
    }

    private long stableOffset(TopicPartition at) throws Exception {
        var committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
        return admin.listOffsets(Map.of(at, OffsetSpec.latest()), committed).partitionResult(at).get().offset();
    }

    private static ArrayNode found(ListOffsetsResultInfo info) {
        return Driver.JSON.createArrayNode().add(info.offset()).add(info.timestamp());
    }

    /** Every record of some topics, and what groups have committed. */
    private ObjectNode read(JsonNode act) throws Exception {
        ObjectNode records = done();
        var bytes = new org.apache.kafka.common.serialization.ByteArrayDeserializer();
        try (var consumer = new KafkaConsumer<>(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()), bytes, bytes)) {
            for (JsonNode topic : act.get("topics")) {
                List<TopicPartition> all = consumer.partitionsFor(topic.asText()).stream()
                        .map(info -> new TopicPartition(info.topic(), info.partition()))
                        .toList();
                all.forEach(at -> records.putArray(at.toString()));
                consumer.assign(all);
                consumer.seekToBeginning(all);
                Map<TopicPartition, Long> ends = consumer.endOffsets(all);
                while (!all.stream().allMatch(at -> consumer.position(at) >= ends.get(at))) {
                    for (var record : consumer.poll(Duration.ofMillis(200))) {
                        records.withArray("/" + record.topic() + "-" + record.partition()).add(row(record));
                    }
                }
            }
        }
        ObjectNode answer = done();
        answer.set("records", records);
        answer.set("committed", groups.committed((ArrayNode) act.get("groups")));
        return answer;
    }

    private static ArrayNode row(ConsumerRecord<byte[], byte[]> record) {
        ArrayNode headers = Driver.JSON.createArrayNode();
        record.headers().forEach(header -> headers.addArray()
                .add(hex(header.key().getBytes(StandardCharsets.UTF_8)))
                .add(hex(header.value())));
        ArrayNode row = Driver.JSON.createArrayNode();
        return row.add(record.offset()).add(hex(record.key())).add(hex(record.value())).add(headers);
    }

    private static String hex(byte[] bytes) {
        return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }

    /** Everything goes, so that the next history may use the same names. */
    private ObjectNode clear() throws Exception {
        producers.close();
        transactions.clear();
        members.clear();
        for (String name : admin.listTopics().names().get()) {
            deleteTopic(name);
        }
        List<String> groups = new ArrayList<>();
        admin.listGroups().all().get().forEach(group -> groups.add(group.groupId()));
        if (!groups.isEmpty()) {
            admin.deleteConsumerGroups(groups).all().get();
        }
        return done();
    }

    @Override
    public void close() {
        producers.close();
        transactions.close();
        members.close();
        admin.close();
    }
}
