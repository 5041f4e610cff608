package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;

/**
 * Kafka's own command-line tools, their {@code main} called in this process: to start a Java for
 * each takes longer than what it does. A connection is a call: a JSON object in, one out.
 */
final class Tools implements AutoCloseable {
    private final ServerSocket server;

    private Tools(ServerSocket server) {
        this.server = server;
    }

    static Tools start() throws IOException {
        Tools tools = new Tools(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Thread thread = new Thread(tools::serve, "tools");
        thread.setDaemon(true);
        thread.start();
        return tools;
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept();
                    var in = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                    var out = new PrintStream(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
                String line = in.readLine();
                if (line != null) {
                    out.println(Driver.JSON.writeValueAsString(call(Driver.JSON.readTree(line))));
                }
            } catch (IOException gone) {
                System.err.println("a call of a tool: " + gone);
            }
        }
    }

    /** What ends a tool in place of the process. */
    private static final class Ended extends Error {
        Ended(int status) {
            super("status " + status, null, false, false);
        }
    }

    private static ObjectNode call(JsonNode asked) {
        List<String> arguments = new ArrayList<>();
        asked.get("arguments").forEach(argument -> arguments.add(argument.asText()));
        byte[] input = HexFormat.of().parseHex(asked.get("input").asText());
        PrintStream out = System.out;
        PrintStream errors = System.err;
        InputStream in = System.in;
        var said = new ByteArrayOutputStream();
        var complained = new ByteArrayOutputStream();
        List<Runnable> hooks = new ArrayList<>();
        // The first end counts: a tool may take the one below for a failure of its own, and say so.
        List<Integer> ends = new ArrayList<>();
        int[] lengths = new int[2];
        Exit.Procedure end = (status, message) -> {
            if (ends.isEmpty()) {
                lengths[0] = said.size();
                lengths[1] = complained.size();
            }
            ends.add(status);
            throw new Ended(status);
        };
        Exit.setExitProcedure(end);
        Exit.setHaltProcedure(end);
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
        System.setIn(new ByteArrayInputStream(input));
        int status = 0;
        try {
            Class.forName(asked.get("class").asText())
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) arguments.toArray(String[]::new));
        } catch (InvocationTargetException thrown) {
            if (!(thrown.getCause() instanceof Ended)) {
                thrown.getCause().printStackTrace(System.err);
                status = 1;
            }
        } catch (ReflectiveOperationException unknown) {
            unknown.printStackTrace(System.err);
            status = 1;
        } finally {
            hooks.forEach(Runnable::run);
            System.setOut(out);
            System.setErr(errors);
            System.setIn(in);
            Exit.resetExitProcedure();
            Exit.resetHaltProcedure();
            Exit.resetShutdownHookAdder();
        }
        boolean hasEnded = !ends.isEmpty();
        int outputLength = hasEnded ? lengths[0] : said.size();
        int errorsLength = hasEnded ? lengths[1] : complained.size();
        return Driver.JSON.createObjectNode()
                .put("status", hasEnded ? ends.get(0) : status)
                .put("output", HexFormat.of().formatHex(said.toByteArray(), 0, outputLength))
                .put("errors", HexFormat.of().formatHex(complained.toByteArray(), 0, errorsLength));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
