package arrowio.icebergjudge;

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
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;

/**
 * Iceberg's own catalogs, which answer questions as iceberg_judge.py does: each line of the input is one in JSON, and gets a line in JSON,
 * {"error": TEXT} if something failed. A catalog is named by thrift://HOST:PORT, http://HOST:PORT, hdfs://HOST:PORT/DIR (of type hadoop), or by a
 * directory, in which catalog.db is a catalog in SQLite.
 */
final class Catalogs {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final Map<String, Catalog> catalogs = new HashMap<>();
  private int writes;

  private Catalogs() {}

  static void run() throws IOException {
    Catalogs c = new Catalogs();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        c.answer(JSON.readTree(line), answer);
      } catch (IOException | RuntimeException e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        answer.put("error", text.toString());
      }
      System.out.println(JSON.writeValueAsString(answer));
    }
    System.exit(0);
  }

  private void answer(JsonNode q, ObjectNode to) throws IOException {
    if (q.has("begin")) {
      String name = q.get("begin").asText();
      begin(catalogs.computeIfAbsent(name, n -> open(n, q.path("warehouse").asText())), name.startsWith("http"));
      return;
    }
    for (String what : new String[] {"catalog", "append", "evolve"}) {
      if (!q.has(what)) {
        continue;
      }
      Table t = catalogs.get(q.get(what).asText()).loadTable(TableIdentifier.parse(q.get("table").asText()));
      switch (what) {
        case "catalog" -> rows(t, Path.of(q.get("out").asText()), to);
        case "append" -> {
          for (int k = 0; k < q.get("times").asInt(); k++) {
            append(t, q.get("from").asLong() + 10L * k);
          }
        }
        default -> t.updateSchema().addColumn("more", Types.LongType.get()).renameColumn("word", "text").commit();
      }
      return;
    }
    throw new IllegalArgumentException(q.toString());
  }

  private static Catalog open(String name, String warehouse) {
    Configuration conf = new Configuration();
    Map<String, String> properties = new HashMap<>();
    if (name.startsWith("thrift://")) {
      HiveCatalog c = new HiveCatalog();
      c.setConf(conf);
      properties.put(CatalogProperties.URI, name);
      properties.put(CatalogProperties.WAREHOUSE_LOCATION, "file://" + warehouse);
      c.initialize("prod", properties);
      return c;
    }
    if (name.startsWith("http://")) {
      RESTCatalog c = new RESTCatalog();
      properties.put(CatalogProperties.URI, name);
      properties.put(CatalogProperties.FILE_IO_IMPL, "org.apache.iceberg.hadoop.HadoopFileIO");
      c.setConf(conf);
      c.initialize("prod", properties);
      return c;
    }
    if (name.startsWith("hdfs://")) {
      HadoopCatalog c = new HadoopCatalog();
      c.setConf(conf);
      properties.put(CatalogProperties.WAREHOUSE_LOCATION, name);
      c.initialize("prod", properties);
      return c;
    }
    JdbcCatalog c = new JdbcCatalog();
    c.setConf(conf);
    properties.put(CatalogProperties.URI, "jdbc:sqlite:" + name + "/catalog.db?busy_timeout=30000");
    properties.put(CatalogProperties.WAREHOUSE_LOCATION, "file://" + name + "/warehouse");
    properties.put("jdbc.schema-version", "V1"); // with views
    c.initialize("prod", properties);
    return c;
  }

  /** Makes the namespace db, if it may, a table theirs, and where there are such things, a view. */
  private static void begin(Catalog c, boolean given) {
    Namespace db = Namespace.of("db");
    if (!given) {
      ((SupportsNamespaces) c).createNamespace(db);
    }
    Schema s = new Schema(Types.NestedField.optional(1, "id", Types.LongType.get()), Types.NestedField.optional(2, "word", Types.StringType.get()));
    // Iceberg begins a commit anew four times by default, which is too few beside three writers on a busy machine.
    c.buildTable(TableIdentifier.of(db, "theirs"), s).withProperty("commit.retry.num-retries", "1000").create();
    if (c instanceof ViewCatalog v && !given) {
      v.buildView(TableIdentifier.of(db, "view")).withSchema(s).withDefaultNamespace(db).withQuery("spark", "SELECT * FROM theirs").create();
    }
  }

  private static void rows(Table t, Path out, ObjectNode to) throws IOException {
    try (BufferedWriter w = Files.newBufferedWriter(out, StandardCharsets.UTF_8);
        CloseableIterable<Record> rows = IcebergGenerics.read(t).build()) {
      for (Record row : rows) {
        w.write(Rows.text(row, t.schema()) + "\n");
      }
    }
    t.schema().columns().forEach(f -> to.withArray("schema").add(f.name()));
  }

  /** Appends ten rows in one snapshot, in ORC and Parquet in turn. Iceberg itself begins anew if somebody else has changed the table. */
  private void append(Table t, long from) throws IOException {
    FileFormat format = ++writes % 2 == 0 ? FileFormat.ORC : FileFormat.PARQUET;
    OutputFileFactory files = OutputFileFactory.builderFor(t, 1, writes).format(format).build();
    Map<PartitionKey, DataWriter<Record>> writers = new HashMap<>();
    PartitionKey key = new PartitionKey(t.spec(), t.schema());
    InternalRecordWrapper wrapper = new InternalRecordWrapper(t.schema().asStruct());
    for (long id = from; id < from + 10; id++) {
      GenericRecord row = GenericRecord.create(t.schema());
      row.set(0, id);
      row.set(1, "p" + id);
      key.partition(wrapper.wrap(row));
      DataWriter<Record> w = writers.get(key);
      if (w == null) {
        PartitionKey part = key.copy();
        w = new GenericAppenderFactory(t.schema(), t.spec()).newDataWriter(files.newOutputFile(t.spec(), part), format, part);
        writers.put(part, w);
      }
      w.write(row);
    }
    AppendFiles append = t.newAppend();
    for (DataWriter<Record> w : writers.values()) {
      w.close();
      append.appendFile(w.toDataFile());
    }
    append.commit();
  }
}
