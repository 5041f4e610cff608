package loglanes.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.DumpLogSegments;

/** {@code kafka-dump-log}, in this process: what it prints of some files. */
final class Dumps {
    private Dumps() {}

    static ObjectNode dump(JsonNode act) throws Exception {
        List<String> files = new ArrayList<>();
        act.get("files").forEach(file -> files.add(file.asText()));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        Exit.setExitProcedure((code, message) -> {
            throw new IllegalStateException("kafka-dump-log ends with " + code + ": " + message);
        });
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            DumpLogSegments.main(new String[] {"--deep-iteration", "--files", String.join(",", files)});
        } finally {
            System.setOut(before);
            Exit.resetExitProcedure();
        }
        return Driver.JSON.createObjectNode().put("text", printed.toString(StandardCharsets.UTF_8));
    }
}
