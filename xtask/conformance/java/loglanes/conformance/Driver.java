package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.internals.AppInfoParser;
import org.apache.kafka.tools.consumer.group.ResetTool;

/**
 * Carries acts out on a real broker: one JSON object a line in, one a line out, as
 * {@code {"ok": ...}} or {@code {"error": {"code", "name", "message"}}}.
 */
public final class Driver {
    static final ObjectMapper JSON = new ObjectMapper();

    private Driver() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Whatever Kafka prints must not stand between the answers.
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RealBroker broker = RealBroker.start(Path.of(arguments[0]));
                Tools tools = Tools.start();
                Cluster cluster = new Cluster(broker)) {
            out.println(answer(JSON.createObjectNode()
                    .put("bootstrap", broker.bootstrap())
                    .put("tools", tools.port())
                    .put("version", AppInfoParser.getVersion())
                    .put("date", LocalDate.now(ZoneOffset.UTC).toString())));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                ObjectNode answer;
                try {
                    answer = answer(cluster.carryOut(JSON.readTree(line)));
                } catch (Transactions.Refused refused) {
                    answer = JSON.createObjectNode();
                    answer.set("error", refused.error);
                } catch (Exception refused) {
                    answer = JSON.createObjectNode();
                    answer.set("error", refusal(refused));
                }
                out.println(JSON.writeValueAsString(answer));
            }
        }
        System.exit(0);
    }

    private static ObjectNode answer(JsonNode result) {
        ObjectNode answer = JSON.createObjectNode();
        answer.set("ok", result);
        return answer;
    }

    /** What a user of the Java client sees. Kafka's code only where the exception has one. */
    static ObjectNode refusal(Throwable thrown) {
        Throwable cause = thrown;
        // Kafka's tools wrap what their client throws in a bare RuntimeException.
        while ((cause instanceof ExecutionException
                        || cause instanceof CompletionException
                        || cause.getClass() == RuntimeException.class)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        ObjectNode refusal = JSON.createObjectNode();
        Errors error = Errors.forException(cause);
        boolean hasCode = cause instanceof ApiException
                && (error != Errors.UNKNOWN_SERVER_ERROR || cause instanceof UnknownServerException);
        if (hasCode) {
            refusal.put("code", error.code());
            refusal.put("name", error.name());
        } else {
            refusal.putNull("code");
            boolean isTool = cause instanceof ResetTool.Refusal;
            refusal.put("name", isTool ? "ConsumerGroupCommand" : cause.getClass().getSimpleName());
        }
        refusal.put("message", cause.getMessage());
        return refusal;
    }
}
