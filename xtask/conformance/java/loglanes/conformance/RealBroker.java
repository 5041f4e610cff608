package loglanes.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.BrokerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.LogCleaner;
import org.apache.kafka.storage.internals.log.LogManager;
import scala.Option;

/**
 * A broker and its controller in this process, on the loopback interface. Its own timers are put
 * off for good: old segments go and logs are cleaned when the driver says so.
 */
final class RealBroker implements AutoCloseable {
    /** How long a member that gives no sign of life stays in its group. */
    static final int SESSION_MS = 5_000;

    private final KafkaRaftServer server;
    private final LogManager logs;
    private final String bootstrap;

    private RealBroker(KafkaRaftServer server, LogManager logs, String bootstrap) {
        this.server = server;
        this.logs = logs;
        this.bootstrap = bootstrap;
    }

    String bootstrap() {
        return bootstrap;
    }

    static RealBroker start(Path directory) throws Exception {
        String bootstrap = "127.0.0.1:" + freePort();
        String controller = "127.0.0.1:" + freePort();
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("listeners", "PLAINTEXT://" + bootstrap + ",CONTROLLER://" + controller);
        settings.put("advertised.listeners", "PLAINTEXT://" + bootstrap);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("controller.quorum.bootstrap.servers", controller);
        settings.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        settings.put("log.dirs", directory.resolve("logs").toString());
        settings.put("auto.create.topics.enable", "false");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "1000");
        for (String bound : new String[] {"", "min."}) {
            settings.put("group.consumer." + bound + "session.timeout.ms", Integer.toString(SESSION_MS));
            settings.put("group.consumer." + bound + "heartbeat.interval.ms", "200");
        }
        for (String topic : new String[] {"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"}) {
            settings.put(topic + ".replication.factor", "1");
            settings.put(topic + ".num.partitions", "1");
        }
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        String never = Long.toString(1L << 40);
        settings.put("log.initial.task.delay.ms", never);
        settings.put("log.retention.check.interval.ms", never);
        settings.put("log.cleaner.backoff.ms", never);
        Path file = directory.resolve("server.properties");
        Files.createDirectories(directory);
        try (var out = Files.newOutputStream(file)) {
            settings.store(out, null);
        }
        format(file);
        KafkaConfig config = KafkaConfig.fromProps(settings, false);
        KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
        server.startup();
        Option<?> broker = (Option<?>) field(server, KafkaRaftServer.class, "broker");
        LogManager logs = ((BrokerServer) broker.get()).logManager();
        return new RealBroker(server, logs, bootstrap);
    }

    private static void format(Path file) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        String id = org.apache.kafka.common.Uuid.randomUuid().toString();
        String[] arguments = {"format", "--standalone", "-t", id, "-c", file.toString()};
        int exit = StorageTool.execute(arguments, new PrintStream(said));
        if (exit != 0) {
            throw new IOException("the broker's storage cannot be formatted: " + said);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** One run of the check for old segments. */
    void runRetention() throws Exception {
        call(logs, LogManager.class, "cleanupLogs");
    }

    /** Lets the cleaner at the logs until it finds nothing more to do. */
    void runCleaner() throws Exception {
        LogCleaner cleaner = logs.cleaner();
        LogCleaner.CleanerThread thread = cleaner.cleaners().get(0);
        Object found = true;
        while (found.equals(true)) {
            found = call(thread, LogCleaner.CleanerThread.class, "cleanFilthiestLog");
        }
    }

    static Object field(Object of, Class<?> type, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private static Object call(Object of, Class<?> type, String name) throws Exception {
        Method method = type.getDeclaredMethod(name);
        method.setAccessible(true);
        return method.invoke(of);
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
