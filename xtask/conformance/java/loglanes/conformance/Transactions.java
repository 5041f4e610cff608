package loglanes.conformance;

import static loglanes.conformance.RealBroker.field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.TransactionManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.internals.ProducerIdAndEpoch;

/**
 * Producers that have a name, and their transactions. Producer ids and transactional ids are told as
 * if the broker were new: the first id that a history gets is 0.
 */
final class Transactions implements AutoCloseable {
    private static final int STATE_ATTEMPTS = 2_000;
    private static final int ERROR_ATTEMPTS = 500;
    private static final int CLOSE_SECONDS = 3;

    private final String bootstrap;
    private final Admin admin;
    private final Map<String, KafkaProducer<byte[], byte[]>> producers = new HashMap<>();
    private final Map<String, String> transactionalIds = new HashMap<>();
    private final Members members;
    private final Set<String> usedIds = new HashSet<>();
    /** By the broker's producer id the one that it is told as. */
    private final Map<Long, Long> ids = new LinkedHashMap<>();
    private int history;

    Transactions(String bootstrap, Admin admin, Members members) {
        this.members = members;
        this.bootstrap = bootstrap;
        this.admin = admin;
    }

    /** Carries out an act of a producer with a name; an error is told in its words. */
    ObjectNode carryOut(JsonNode act) throws Exception {
        String name = act.get("producer").asText();
        try {
            return switch (act.get("type").asText()) {
                case "createProducer" -> create(name, act.path("configs"));
                case "produce" -> produce(name, act);
                case "initTransactions" -> init(name);
                case "beginTransaction" -> {
                    producers.get(name).beginTransaction();
                    yield done();
                }
                case "sendOffsets" -> {
                    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                    act.get("offsets").forEach(one -> offsets.put(
                            new TopicPartition(one.get("topic").asText(), one.get("partition").asInt()),
                            new OffsetAndMetadata(one.get("offset").asLong())));
                    var metadata = members.metadata(act.get("group").asText(), act.get("member").asText());
                    producers.get(name).sendOffsetsToTransaction(offsets, metadata);
                    yield done();
                }
                case "commitTransaction" -> {
                    producers.get(name).commitTransaction();
                    yield awaitMarkers(name);
                }
                case "abortTransaction" -> {
                    producers.get(name).abortTransaction();
                    yield awaitMarkers(name);
                }
                case "closeProducer" -> {
                    // One that is lost for good would wait for ever for what it has not sent.
                    producers.get(name).close(Duration.ofSeconds(CLOSE_SECONDS));
                    yield awaitMarkers(name);
                }
                // Without a moment to abort what is open.
                case "killProducer" -> {
                    producers.get(name).close(Duration.ZERO);
                    yield done();
                }
                default -> throw new IllegalArgumentException("no such act: " + act);
            };
        } catch (Exception refused) {
            ObjectNode error = Driver.refusal(refused);
            error.put("message", asIfNew(error.get("message").asText("")));
            throw new Refused(error);
        }
    }

    /** A refusal in the history's own words. */
    static final class Refused extends Exception {
        final transient ObjectNode error;

        Refused(ObjectNode error) {
            super(error.toString());
            this.error = error;
        }
    }

    private static ObjectNode done() {
        return Driver.JSON.createObjectNode();
    }

    private Map<String, Object> settings(String transactionalId) {
        return Map.of("bootstrap.servers", bootstrap, "transactional.id", transactionalId);
    }

    private ObjectNode create(String name, JsonNode configs) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("linger.ms", 0);
        configs.properties().forEach(one -> settings.put(one.getKey(), one.getValue().asText()));
        String id = (String) settings.computeIfPresent("transactional.id", (config, given) -> real((String) given));
        producers.put(name, new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()));
        transactionalIds.remove(name);
        if (id != null) {
            transactionalIds.put(name, id);
            usedIds.add(id);
        }
        return done();
    }

    /** The coordinator outlives a history: each has transactional ids of its own. */
    private String real(String transactionalId) {
        return "h" + history + "." + transactionalId;
    }

    private String asIfNew(String message) {
        String told = message.replace("h" + history + ".", "");
        for (Map.Entry<Long, Long> one : ids.entrySet()) {
            told = told.replace("producerId=" + one.getKey() + ",", "producerId=" + one.getValue() + ",");
        }
        return told;
    }

    private ObjectNode produce(String name, JsonNode act) throws Exception {
        var record = new ProducerRecord<>(
                act.get("topic").asText(),
                act.get("partition").asInt(),
                act.get("timestamp").asLong(),
                Producers.bytes(act.get("key")),
                Producers.bytes(act.get("value")));
        var future = producers.get(name).send(record);
        RecordMetadata sent;
        try {
            sent = future.get();
        } catch (ExecutionException failed) {
            awaitError(name);
            throw failed;
        }
        ObjectNode answer = done();
        answer.putObject("sent").putArray(Integer.toString(sent.partition()))
                .add(1).add(sent.offset()).add(sent.offset());
        answer.putObject("refused");
        return answer;
    }

    /** A send may be told to have failed a moment before the client knows that its transaction has. */
    private void awaitError(String name) throws Exception {
        Object manager = field(producers.get(name), KafkaProducer.class, "transactionManager");
        for (int attempt = 0; manager != null && attempt < ERROR_ATTEMPTS; attempt++) {
            if (field(manager, TransactionManager.class, "currentState").toString().endsWith("_ERROR")) {
                break;
            }
            Thread.sleep(2);
        }
    }

    private ObjectNode init(String name) throws Exception {
        KafkaProducer<byte[], byte[]> producer = producers.get(name);
        producer.initTransactions();
        Object manager = field(producer, KafkaProducer.class, "transactionManager");
        var identity = (ProducerIdAndEpoch) field(manager, TransactionManager.class, "producerIdAndEpoch");
        long id = ids.computeIfAbsent(identity.producerId, unknown -> (long) ids.size());
        return done().put("id", id).put("epoch", identity.epoch);
    }

    /** The coordinator answers before the markers are written. */
    private ObjectNode awaitMarkers(String name) throws Exception {
        String id = transactionalIds.get(name);
        for (int attempt = 0; id != null && attempt < STATE_ATTEMPTS; attempt++) {
            try {
                TransactionState state = admin.describeTransactions(Set.of(id)).all().get().get(id).state();
                if (state != TransactionState.PREPARE_COMMIT && state != TransactionState.PREPARE_ABORT) {
                    break;
                }
            } catch (ExecutionException unknown) {
                break;
            }
            Thread.sleep(2);
        }
        return done();
    }

    /** The broker's producer ids, and what each is told as. */
    ObjectNode told() {
        ObjectNode told = done();
        ids.forEach((real, number) -> told.put(real.toString(), number));
        return told;
    }

    /**
     * A new history. What is still open is aborted: else its markers would come when its time is up, into
     * topics that by then have the same names.
     */
    void clear() {
        close();
        for (String id : usedIds) {
            try (var last = new KafkaProducer<>(settings(id), new ByteArraySerializer(), new ByteArraySerializer())) {
                last.initTransactions();
            }
        }
        usedIds.clear();
        ids.clear();
        transactionalIds.clear();
        history++;
    }

    @Override
    public void close() {
        producers.values().forEach(producer -> producer.close(Duration.ZERO));
        producers.clear();
    }
}
