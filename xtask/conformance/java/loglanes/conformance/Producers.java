package loglanes.conformance;

import static loglanes.conformance.RealBroker.field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.clients.producer.internals.ProducerMetadata;
import org.apache.kafka.clients.producer.internals.RecordAccumulator;
import org.apache.kafka.clients.producer.internals.ScriptedDraws;
import org.apache.kafka.clients.producer.internals.Sender;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/** One producer for each topic and partitioner, as the product keeps them. */
final class Producers implements AutoCloseable {
    private static final int BATCH_SIZE = 16384;
    /**
     * In place of Kafka's two minutes, which pass in full where a batch is split into itself: the
     * sender sends it again and again until it expires. Any other batch is through in milliseconds.
     */
    private static final int DELIVERY_TIMEOUT_MS = 6_000;
    private static final int REQUEST_TIMEOUT_MS = 4_000;
    /** Longer than any batch may live. */
    private static final int FLUSH_SECONDS = 30;

    private final String bootstrap;
    private final Callable<Set<String>> topics;
    private final Map<String, One> senders = new HashMap<>();

    /** {@code topics}: asks which there are. */
    Producers(String bootstrap, Callable<Set<String>> topics) {
        this.bootstrap = bootstrap;
        this.topics = topics;
    }

    /** Sends records as fast as they come and flushes; what came of each, in order. */
    ArrayNode send(JsonNode act) throws Exception {
        String topic = act.get("topic").asText();
        String partitioner = act.path("partitioner").asText("java/default");
        String key = partitioner + " " + topic;
        One sender = senders.get(key);
        if (sender == null) {
            sender = new One(bootstrap, topic, partitioner);
            senders.put(key, sender);
            // On a busy machine its first metadata may take longer than a topic that is not there
            // is waited for.
            for (int attempt = 0; attempt < 50 && topics.call().contains(topic); attempt++) {
                if (sender.knowsTopic()) {
                    break;
                }
            }
        }
        try {
            return sender.send(act);
        } finally {
            if (!sender.knowsTopic()) {
                // Asked again, this client would say it in other words; the product has a new one.
                forget(topic);
            }
        }
    }

    /** A topic has grown: every producer is to know before it sends again. */
    void refresh(String topic) throws Exception {
        for (One sender : senders.values()) {
            if (sender.topic.equals(topic)) {
                ProducerMetadata metadata =
                        (ProducerMetadata) field(sender.producer, KafkaProducer.class, "metadata");
                int version = metadata.requestUpdateForTopic(topic);
                ((Sender) field(sender.producer, KafkaProducer.class, "sender")).wakeup();
                metadata.awaitUpdate(version, Time.SYSTEM.timer(5_000));
            }
        }
    }

    /** A topic is gone, and what producers remember of it. */
    void forget(String topic) {
        senders.values().removeIf(sender -> {
            if (sender.topic.equals(topic)) {
                sender.producer.close(Duration.ZERO);
                return true;
            }
            return false;
        });
    }

    @Override
    public void close() {
        senders.values().forEach(sender -> sender.producer.close(Duration.ZERO));
        senders.clear();
    }

    static byte[] bytes(JsonNode node) {
        return node == null || node.isNull() ? null : HexFormat.of().parseHex(node.get("hex").asText());
    }

    /** A producer, and which partitions it is to draw. */
    private static final class One {
        private final String topic;
        private final KafkaProducer<byte[], byte[]> producer;
        private final RecordAccumulator accumulator;
        private final Set<TopicPartition> muted = ConcurrentHashMap.newKeySet();
        private int own;
        private int next;

        One(String bootstrap, String topic, String partitioner) throws Exception {
            this.topic = topic;
            Map<String, Object> settings = new HashMap<>();
            settings.put("bootstrap.servers", bootstrap);
            // Batches without a producer id, as the product writes them.
            settings.put("enable.idempotence", false);
            // In the order of sending, also where a batch is split and sent again.
            settings.put("max.in.flight.requests.per.connection", 1);
            settings.put("max.block.ms", 400);
            settings.put("delivery.timeout.ms", DELIVERY_TIMEOUT_MS);
            settings.put("request.timeout.ms", REQUEST_TIMEOUT_MS);
            settings.put("batch.size", BATCH_SIZE);
            settings.put("partitioner.adaptive.partitioning.enable", false);
            switch (partitioner) {
                case "java/default" -> {}
                case "java/ignore_keys" -> settings.put("partitioner.ignore.keys", true);
                case "java/round_robin" -> settings.put("partitioner.class", RoundRobinPartitioner.class);
                default -> throw new IllegalArgumentException("no partitioner of Java: " + partitioner);
            }
            producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
            accumulator = (RecordAccumulator) field(producer, KafkaProducer.class, "accumulator");
            // Kafka's own set is for its sender's thread alone; we hold partitions back from ours.
            var set = RecordAccumulator.class.getDeclaredField("muted");
            set.setAccessible(true);
            set.set(accumulator, muted);
            ScriptedDraws.install(accumulator, topic, BATCH_SIZE, this::partitions, isForNext -> isForNext ? next : own);
        }

        boolean knowsTopic() {
            try {
                return !partitions().isEmpty();
            } catch (RuntimeException unknown) {
                return false;
            }
        }

        private List<Integer> partitions() {
            return producer.partitionsFor(topic).stream().map(PartitionInfo::partition).collect(Collectors.toList());
        }

        ArrayNode send(JsonNode act) throws InterruptedException {
            JsonNode records = act.get("records");
            boolean many = records.size() > 1;
            List<TopicPartition> held = new ArrayList<>();
            if (many) {
                // The sender holds a partition back while a batch is on its way, and a little longer.
                for (int waited = 0; !muted.isEmpty(); waited++) {
                    if (waited == FLUSH_SECONDS * 1_000) {
                        throw new IllegalStateException("the sender holds back " + muted);
                    }
                    Thread.sleep(1);
                }
                // Nothing is taken away before all is there, so that batches are as full as can be.
                partitions().forEach(partition -> held.add(new TopicPartition(topic, partition)));
                held.forEach(accumulator::mutePartition);
            }
            List<Object> sent = new ArrayList<>();
            for (JsonNode record : records) {
                own = record.path("draw").path(0).asInt();
                next = record.path("draw").path(1).asInt();
                try {
                    sent.add(producer.send(record(record)));
                } catch (RuntimeException refused) {
                    sent.add(refused);
                }
            }
            held.forEach(accumulator::unmutePartition);
            flush();
            ArrayNode answers = Driver.JSON.createArrayNode();
            sent.forEach(one -> answers.add(outcome(one)));
            return answers;
        }

        /** A flush that does not return is told, not waited for: the run would stand still. */
        private void flush() {
            try {
                CompletableFuture.runAsync(producer::flush).get(FLUSH_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                throw new IllegalStateException("the producer's flush has not returned", late);
            } catch (InterruptedException | ExecutionException failed) {
                throw new IllegalStateException("the producer cannot flush", failed);
            }
        }

        private ProducerRecord<byte[], byte[]> record(JsonNode record) {
            Integer partition = record.hasNonNull("partition") ? record.get("partition").asInt() : null;
            Long timestamp = record.hasNonNull("timestamp") ? record.get("timestamp").asLong() : null;
            var made = new ProducerRecord<>(topic, partition, timestamp,
                    bytes(record.get("key")), bytes(record.get("value")));
            for (JsonNode header : record.path("headers")) {
                String name = new String(bytes(header.get("key")), java.nio.charset.StandardCharsets.UTF_8);
                made.headers().add(name, bytes(header.get("value")));
            }
            return made;
        }

        private static ObjectNode outcome(Object sent) {
            ObjectNode answer = Driver.JSON.createObjectNode();
            try {
                if (sent instanceof RuntimeException refused) {
                    throw refused;
                }
                RecordMetadata at = (RecordMetadata) ((Future<?>) sent).get();
                ObjectNode ok = Driver.JSON.createObjectNode();
                ok.put("partition", at.partition());
                ok.put("offset", at.offset());
                answer.set("ok", ok);
            } catch (Exception refused) {
                answer.set("error", Driver.refusal(refused));
            }
            return answer;
        }
    }
}
