package arrowio.sparkjudge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Spark in local mode with Iceberg's runtime: a catalog h of type hadoop, whose warehouse is a directory. Each line of the input is a question
 * in JSON, and gets a line in JSON, {"error": TEXT} if something failed:
 *
 * <pre>
 * {"sql": TEXT}                                       runs a statement
 * {"table": NAME, "out": FILE}                        writes the rows of a table as text; "snapshot": ID are those of a snapshot, and "lineage": true
 *                                                     puts the columns of row lineage at their end. The answer says the current snapshot
 * </pre>
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final SparkSession spark;

  private Main(String warehouse) {
    String runtime = "org.apache.iceberg.spark.";
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.datetime.java8API.enabled", "true")
            .config("spark.sql.warehouse.dir", warehouse + "/none")
            .config("spark.sql.extensions", runtime + "extensions.IcebergSparkSessionExtensions")
            .config("spark.sql.catalog.h", runtime + "SparkCatalog")
            .config("spark.sql.catalog.h.type", "hadoop")
            .config("spark.sql.catalog.h.cache-enabled", "false")
            .config("spark.sql.catalog.h.warehouse", warehouse)
            .getOrCreate();
  }

  public static void main(String[] args) throws IOException {
    Main m = new Main(args[0]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        m.answer(JSON.readTree(line), answer);
      } catch (Exception e) { // Spark throws checked ones that it does not declare
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        answer.put("error", text.toString());
      }
      System.out.println(JSON.writeValueAsString(answer));
    }
    m.spark.stop();
    System.exit(0);
  }

  private void answer(JsonNode q, ObjectNode to) throws Exception {
    if (q.has("sql")) {
      spark.sql(q.get("sql").asText()).collect();
      return;
    }
    String name = "h." + q.get("table").asText();
    Table t = Spark3Util.loadIcebergTable(spark, name);
    Types.StructType type = t.schema().asStruct();
    String from = name;
    if (q.has("snapshot")) {
      from += " VERSION AS OF " + q.get("snapshot").asLong();
      type = t.schemas().get(t.snapshot(q.get("snapshot").asLong()).schemaId()).asStruct();
    }
    boolean lineage = q.path("lineage").asBoolean();
    List<Row> rows = spark.sql("SELECT *" + (lineage ? ", _row_id, _last_updated_sequence_number" : "") + " FROM " + from).collectAsList();
    try (BufferedWriter w = Files.newBufferedWriter(Path.of(q.get("out").asText()), StandardCharsets.UTF_8)) {
      for (Row row : rows) {
        StringBuilder b = new StringBuilder();
        Text.struct(b, row, type, lineage ? 2 : 0);
        w.write(b.append('\n').toString());
      }
    }
    if (t.currentSnapshot() != null) {
      to.put("snapshot", t.currentSnapshot().snapshotId());
    }
  }
}
