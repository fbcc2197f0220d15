package arrowio.hivejudge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.common.ValidWriteIdList;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.security.HadoopThriftAuthBridge;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;
import org.apache.hadoop.hive.metastore.txn.TxnUtils;
import org.apache.hadoop.hive.ql.io.RecordUpdater;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A metastore with a database d in DIR, and tables in it that Hive's writers have made. DIR/NAME.jsonl has what Hive reads in the
 * ACID table of that name, a line for each row. It prints its port, and serves until its standard input ends. To a line "rows TABLE",
 * "values TABLE" or "statistics TABLE" there it answers with what Hive sees, and a line "."; "churn begin", "churn state" and "churn end" are
 * about the table churn: see Churn.
 */
final class Metastore {
  private final Path dir;
  private HiveMetaStoreClient client;
  private Configuration configuration; // of clients

  Metastore(Path dir) {
    this.dir = dir;
  }

  /** Makes tables, in a metastore that listens on a port, or with port 0 in one of its own. */
  void run(PrintStream out, int histories, int port) throws Exception {
    Configuration c = new Configuration(false);
    c.set("fs.defaultFS", "file:///");
    if (port == 0) {
      port = serve(c);
    } else {
      c.set("hive.metastore.uris", "thrift://localhost:" + port);
      c.set("metastore.thrift.uris", "thrift://localhost:" + port);
    }
    configuration = c;
    client = connect(c);
    client.createDatabase(new Database("d", "", dir.resolve("warehouse/d").toUri().toString(), Map.of()));
    partitioned();
    for (int i = 0; i < histories; i++) {
      acid("acid" + i, i, i % 3 == 2);
    }
    insertOnly();
    mixed();
    others();
    written();
    new Catalogs(client, dir).make();
    out.println(port);
    answer(out);
  }

  /** Starts a metastore, tells where in a configuration, and returns its port. */
  private int serve(Configuration c) throws Exception {
    int port;
    try (ServerSocket s = new ServerSocket(0)) {
      port = s.getLocalPort();
    }
    c.set("metastore.warehouse.dir", dir.resolve("warehouse").toUri().toString());
    c.set("javax.jdo.option.ConnectionURL", "jdbc:derby:" + dir.resolve("metastore") + ";create=true");
    c.set("javax.jdo.option.ConnectionDriverName", "org.apache.derby.jdbc.EmbeddedDriver");
    c.set("metastore.schema.verification", "false");
    c.set("hive.metastore.schema.verification", "false");
    c.set("datanucleus.schema.autoCreateAll", "true");
    c.set("datanucleus.connectionPoolingType", "NONE");
    c.set("metastore.event.db.notification.api.auth", "false");
    c.set("metastore.stats.autogather", "false");
    c.set("hive.metastore.uris", "thrift://localhost:" + port);
    c.set("metastore.thrift.uris", "thrift://localhost:" + port);
    System.setProperty("derby.stream.error.file", dir.resolve("derby.log").toString());
    TxnDbUtil.setConfValues(c);
    TxnDbUtil.prepDb(c);
    if (System.getProperty("judge.keytab") != null) {
      kerberos(c, System.getProperty("judge.principal"), System.getProperty("judge.keytab"));
    }
    Configuration server = new Configuration(c);
    server.set("hive.metastore.uris", "");
    server.set("metastore.thrift.uris", "");
    Thread t =
        new Thread(
            () -> {
              try {
                HiveMetaStore.startMetaStore(port, HadoopThriftAuthBridge.getBridge(), server);
              } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
              }
            });
    t.setDaemon(true);
    t.start();
    return port;
  }

  /** Lets the metastore, and this program's own client, ask for Kerberos. */
  private static void kerberos(Configuration c, String principal, String keytab) throws IOException {
    c.set("hadoop.security.authentication", "kerberos");
    for (String prefix : List.of("metastore.", "hive.metastore.")) {
      c.set(prefix + "sasl.enabled", "true");
      c.set(prefix + "kerberos.principal", principal);
      c.set(prefix + "kerberos.keytab.file", keytab);
    }
    UserGroupInformation.setConfiguration(c);
    UserGroupInformation.loginUserFromKeytab(principal, keytab);
  }

  /** Answers questions about tables, a line each. */
  private void answer(PrintStream out) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Reader reader = new Reader(client);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      try {
        List<String> lines =
            switch (words[0]) {
              case "rows" -> reader.rows(words[1]);
              case "values" -> reader.values(words[1]);
              case "churn" -> churn(words[1]);
              default -> reader.statistics(words[1]);
            };
        lines.forEach(out::println);
      } catch (Exception e) {
        out.println("failed: " + e + ", " + e.getCause());
        e.printStackTrace();
      }
      out.println(".");
    }
  }

  private Churn churn;

  /** Begins to change the table churn, tells how far that is, or ends it. */
  private List<String> churn(String what) throws Exception {
    if (what.equals("begin")) {
      Path at = dir.resolve("warehouse/d/churn");
      String types = "bigint:bigint";
      StorageDescriptor s = storage(ORC, ORC_SERDE, columns("id,n", types), at);
      s.setNumBuckets(2);
      s.setBucketCols(new ArrayList<>(List.of("id")));
      create("churn", "MANAGED_TABLE", s, List.of(), Map.of("transactional", "true"));
      HiveMetaStoreClient own = connect(configuration);
      churn = new Churn(own, name -> valid(own, name), new Table(at, "id,n", types, 2, true), "churn");
      churn.start();
    }
    return what.equals("end") ? churn.end() : churn.state();
  }

  private static HiveMetaStoreClient connect(Configuration c) throws Exception {
    for (int i = 0; ; i++) {
      try {
        return new HiveMetaStoreClient(c);
      } catch (Exception e) {
        if (i == 60) {
          throw e;
        }
        Thread.sleep(500);
      }
    }
  }

  private static List<FieldSchema> columns(String names, String types) {
    List<FieldSchema> out = new ArrayList<>();
    String[] n = names.isEmpty() ? new String[0] : names.split(",");
    List<String> t = Texts.split(types, ':');
    for (int i = 0; i < n.length; i++) {
      out.add(new FieldSchema(n[i], t.get(i), null));
    }
    return out;
  }

  private static StorageDescriptor storage(String format, String serde, List<FieldSchema> columns, Path at) {
    StorageDescriptor s = new StorageDescriptor();
    s.setCols(columns);
    s.setLocation("file:" + at); // as Hadoop writes it, with one slash
    s.setInputFormat(format);
    s.setOutputFormat("org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat");
    s.setSerdeInfo(new SerDeInfo("", serde, new HashMap<>()));
    s.setParameters(new HashMap<>());
    s.setBucketCols(new ArrayList<>());
    s.setSortCols(new ArrayList<>());
    return s;
  }

  private static final String ORC = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat";
  private static final String ORC_SERDE = "org.apache.hadoop.hive.ql.io.orc.OrcSerde";

  private void create(String name, String kind, StorageDescriptor s, List<FieldSchema> keys, Map<String, String> parameters)
      throws Exception {
    org.apache.hadoop.hive.metastore.api.Table t = new org.apache.hadoop.hive.metastore.api.Table();
    t.setDbName("d");
    t.setTableName(name);
    t.setOwner("judge");
    t.setTableType(kind);
    t.setSd(s);
    t.setPartitionKeys(keys);
    Map<String, String> p = new HashMap<>(parameters);
    if (kind.equals("EXTERNAL_TABLE")) {
      p.put("EXTERNAL", "TRUE");
    }
    t.setParameters(p);
    client.createTable(t);
  }

  /** An external table, of which one partition lies elsewhere, and one was written before a column was added. */
  private void partitioned() throws Exception {
    Path at = dir.resolve("events");
    Files.createDirectories(at);
    List<FieldSchema> columns = columns("id,s,added", "bigint:varchar(10):decimal(6,2)");
    create("events", "EXTERNAL_TABLE", storage(ORC, ORC_SERDE, columns, at), columns("day,region", "date:string"), Map.of());
    String[][] values = {{"2024-03-01", "eu/west"}, {"2024-03-02", "__HIVE_DEFAULT_PARTITION__"}, {"2024-03-03", "us"}};
    for (int i = 0; i < values.length; i++) {
      Path in = i == 2 ? dir.resolve("elsewhere/moved") : at.resolve("day=" + values[i][0]).resolve("r" + i);
      boolean old = i == 0;
      Table t = new Table(in, old ? "id,s" : "id,s,added", old ? "bigint:string" : "bigint:string:decimal(6,2)", 1, false);
      List<List<Object>> rows = new ArrayList<>();
      for (int r = 0; r < 3; r++) {
        List<Object> row = new ArrayList<>(List.of((long) (10 * i + r), "s" + r));
        if (!old) {
          row.add(org.apache.hadoop.hive.common.type.HiveDecimal.create(new java.math.BigDecimal(i + ".5")));
        }
        rows.add(row);
      }
      t.writePlain("000000_0", rows);
      Files.writeString(in.resolve("_SUCCESS"), "");
      Files.write(in.resolve("000001_0"), new byte[0]);
      Partition p = new Partition();
      p.setDbName("d");
      p.setTableName("events");
      p.setValues(List.of(values[i]));
      p.setSd(storage(ORC, ORC_SERDE, columns, in));
      p.setParameters(new HashMap<>());
      client.add_partition(p);
    }
  }

  /** A table with partitions of all formats, and what it has in mixed.jsonl. */
  private void mixed() throws Exception {
    Path at = dir.resolve("mixed");
    create("mixed", "EXTERNAL_TABLE", storage(ORC, ORC_SERDE, columns(Mixed.NAMES, Mixed.TYPES), at), columns("part", "string"), Map.of());
    List<String> lines = new ArrayList<>();
    int seed = 0;
    for (Map.Entry<String, Mixed.Format> e : Mixed.FORMATS.entrySet()) {
      for (boolean old : new boolean[] {true, false}) {
        String value = e.getKey() + (old ? "_old" : "");
        Path in = at.resolve("part=" + value);
        String names = old ? Mixed.OLD_NAMES : Mixed.NAMES;
        String types = old ? Mixed.OLD_TYPES : Mixed.TYPES;
        List<List<Object>> rows = Mixed.rows(seed++, old);
        Mixed.write(in.resolve("000000_0"), e.getValue(), names, types, rows);
        Partition p = new Partition();
        p.setDbName("d");
        p.setTableName("mixed");
        p.setValues(List.of(value));
        StorageDescriptor s = storage(e.getValue().input(), e.getValue().serde(), columns(names, types), in);
        s.setOutputFormat(e.getValue().output());
        p.setSd(s);
        p.setParameters(new HashMap<>());
        client.add_partition(p);
        for (List<Object> row : rows) {
          lines.add(Mixed.shown(row, value));
        }
      }
    }
    Files.write(dir.resolve("mixed.jsonl"), lines);
  }

  /** A managed ACID table with a random history of transactions that were committed or aborted, or are open still. */
  private void acid(String name, long seed, boolean compact) throws Exception {
    Path at = dir.resolve("warehouse/d").resolve(name);
    String types = "bigint:string";
    Table t = new Table(at, "id,s", types, 2, true);
    StorageDescriptor s = storage(ORC, ORC_SERDE, columns("id,s", types), at);
    s.setNumBuckets(2);
    s.setBucketCols(new ArrayList<>(List.of("id")));
    create(name, "MANAGED_TABLE", s, List.of(), Map.of("transactional", "true"));
    Random r = new Random(seed);
    long id = 0;
    long settled = Long.MAX_VALUE;
    for (int i = 0; i < 8; i++) {
      long txn = client.openTxn("judge");
      long w = client.allocateTableWriteId(txn, "d", name);
      Map<Integer, RecordUpdater> by = new HashMap<>();
      if (i > 1 && r.nextInt(2) == 0) {
        for (Table.Row x : t.read(valid(name))) {
          if (r.nextInt(3) > 0) {
            continue;
          }
          if (!by.containsKey(x.number())) {
            by.put(x.number(), t.updater(x.number(), w, w, 0, false, true));
          }
          by.get(x.number()).delete(w, Table.withId(new ArrayList<>(java.util.Arrays.asList(0L, "")), x));
        }
      } else {
        for (int k = 0; k < 5 + r.nextInt(20); k++) {
          int b = r.nextInt(2);
          if (!by.containsKey(b)) {
            by.put(b, t.updater(b, w, w, 0, false, false));
          }
          by.get(b).insert(w, new ArrayList<>(List.of(id++, "s" + r.nextInt(100))));
        }
      }
      for (RecordUpdater u : by.values()) {
        u.close(false);
      }
      int k = i == 4 ? 0 : i == 6 ? 1 : 2 + r.nextInt(8);
      if (k == 1) {
        settled = Math.min(settled, w); // it stays open
      } else if (k == 0) {
        client.rollbackTxn(txn);
      } else {
        client.commitTxn(txn);
      }
    }
    if (compact) {
      new Compactor(t).run(true, new WriteIds(settled - 1, new TreeSet<>(), valid(name).aborted()));
    }
    List<String> lines = new ArrayList<>();
    for (Table.Row x : t.read(valid(name))) {
      lines.add(x.text());
    }
    Files.write(dir.resolve(name + ".jsonl"), lines);
    Files.writeString(dir.resolve(name + ".writeids"), valid(name).text());
  }

  /** The write ids of a table that count, as the metastore tells Hive. */
  private WriteIds valid(String name) throws Exception {
    return valid(client, name);
  }

  private static WriteIds valid(HiveMetaStoreClient client, String name) throws Exception {
    ValidWriteIdList l =
        TxnUtils.createValidReaderWriteIdList(
            client.getValidWriteIds(List.of("d." + name), client.getValidTxns().writeToString()).get(0));
    TreeSet<Long> open = new TreeSet<>();
    TreeSet<Long> aborted = new TreeSet<>();
    for (long w : l.getInvalidWriteIds()) {
      (l.isWriteIdAborted(w) ? aborted : open).add(w);
    }
    return new WriteIds(l.getHighWatermark(), open, aborted);
  }

  /** An insert-only table with the rows 0 and 1; rows 2 and 3 are of transactions that were aborted, or are open. */
  private void insertOnly() throws Exception {
    Path at = dir.resolve("warehouse/d/inserts");
    Table t = new Table(at, "id", "bigint", 1, false);
    create(
        "inserts",
        "MANAGED_TABLE",
        storage(ORC, ORC_SERDE, columns("id", "bigint"), at),
        List.of(),
        Map.of("transactional", "true", "transactional_properties", "insert_only"));
    for (long i = 0; i < 4; i++) {
      long txn = client.openTxn("judge");
      long w = client.allocateTableWriteId(txn, "d", "inserts");
      t.writePlain(String.format("delta_%07d_%07d_0000/000000_0", w, w), List.of(List.of(i)));
      if (i < 2) {
        client.commitTxn(txn);
      } else if (i == 2) {
        client.rollbackTxn(txn);
      }
    }
  }

  private static final String PARQUET = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat";
  private static final String PARQUET_SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe";
  private static final String WIDE =
      "boolean:tinyint:smallint:int:bigint:float:double:string:varchar(5):char(4):binary:date:decimal(10,2)"
          + ":array<int>:map<string,bigint>:struct<x:int,y:string>:timestamp";

  /** Tables that others write to: external ones, with and without partitions, and some that cannot be written. */
  private void written() throws Exception {
    for (String format : List.of("orc", "parquet")) {
      boolean orc = format.equals("orc");
      List<FieldSchema> wide = new ArrayList<>();
      int n = 0;
      for (String type : WIDE.split(":(?![^<]*>)")) {
        wide.add(new FieldSchema("c" + n++, type, null));
      }
      if (!orc) {
        wide.remove(wide.size() - 1); // timestamps
      }
      Path at = dir.resolve("wide_" + format);
      create("wide_" + format, "EXTERNAL_TABLE", storage(format, wide, at), List.of(), Map.of("numRows", "7", "numFiles", "1", "COLUMN_STATS_ACCURATE", "{\"BASIC_STATS\":\"true\"}"));
      create("parts_" + format, "EXTERNAL_TABLE", storage(format, columns("id,s", "bigint:string"), dir.resolve("parts_" + format)), columns("day,region,n,amount", "date:string:tinyint:decimal(6,2)"), Map.of());
    }
    StorageDescriptor buckets = storage("orc", columns("id", "bigint"), dir.resolve("buckets"));
    buckets.setNumBuckets(2);
    buckets.setBucketCols(new ArrayList<>(List.of("id")));
    create("buckets", "EXTERNAL_TABLE", buckets, List.of(), Map.of());
    create("double_key", "EXTERNAL_TABLE", storage("orc", columns("id", "bigint"), dir.resolve("double_key")), columns("k", "double"), Map.of());
    create("times_parquet", "EXTERNAL_TABLE", storage("parquet", columns("t", "timestamp"), dir.resolve("times_parquet")), List.of(), Map.of());
    // a partition whose columns in the metastore are older than the table's, and one with statistics
    create("older", "EXTERNAL_TABLE", storage("orc", columns("id,added", "bigint:int"), dir.resolve("older")), columns("p", "int"), Map.of());
    for (int i = 0; i < 2; i++) {
      Partition p = new Partition();
      p.setDbName("d");
      p.setTableName("older");
      p.setValues(List.of("" + i));
      p.setSd(storage("orc", i == 0 ? columns("id", "bigint") : columns("id,added", "bigint:int"), dir.resolve("older/p=" + i)));
      p.setParameters(new HashMap<>(Map.of("numRows", "0", "COLUMN_STATS_ACCURATE", "{\"BASIC_STATS\":\"true\"}")));
      client.add_partition(p);
    }
  }

  static StorageDescriptor storage(String format, List<FieldSchema> columns, Path at) {
    boolean orc = format.equals("orc");
    StorageDescriptor s = storage(orc ? ORC : PARQUET, orc ? ORC_SERDE : PARQUET_SERDE, columns, at);
    if (!orc) {
      s.setOutputFormat("org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat");
    }
    return s;
  }

  /** Tables that are none of ORC files. */
  private void others() throws Exception {
    Path at = dir.resolve("others");
    List<FieldSchema> columns = columns("id", "bigint");
    StorageDescriptor view = storage(ORC, ORC_SERDE, columns, at);
    view.setLocation(null);
    create("a_view", "VIRTUAL_VIEW", view, List.of(), Map.of());
    texts();
    randomTexts();
    create(
        "ice",
        "EXTERNAL_TABLE",
        storage("org.apache.hadoop.mapred.FileInputFormat", "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe", columns, at),
        List.of(),
        Map.of("table_type", "ICEBERG", "metadata_location", "file:" + dir.resolve("ice/metadata/v1.metadata.json")));
    Path empty = dir.resolve("empty");
    Files.createDirectories(empty);
    create("empty", "EXTERNAL_TABLE", storage(ORC, ORC_SERDE, columns, empty), columns("p", "int"), Map.of());
  }

  private static final String TEXT = "org.apache.hadoop.mapred.TextInputFormat";
  private static final String LAZY = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";

  private static final String CSV = "org.apache.hadoop.hive.serde2.OpenCSVSerde";

  /** Tables of text that Hive reads, with lines that have too few fields, too many, and none. "rows" says what it reads. */
  private void texts() throws Exception {
    Map<String, String> none = Map.of();
    text("lazy_plain", "bigint:string:double", none, none, "1\u0001a\u00011.5\n\\N\u0001\\N\u0001\\N\n2\n\n3\u0001\"b\"\u0001\u0001more\u0001\n\u0001c d\u0001-0.25\n");
    text("lazy_ends", "string:bigint", none, none, "\ufeffa\u00011\r\nb\u00012\rc\r\r\n\nd");
    text("lazy_comma", "bigint:string:boolean", Map.of("field.delim", ",", "serialization.null.format", "-"), Map.of("skip.header.line.count", "1"), "x,y,z\n1,\\N,TRUE\n-,-,-\n+02,,false\n");
    text("lazy_number", "int:string", Map.of("field.delim", "124"), none, "1|a\n2|b|c\n");
    text("lazy_format", "tinyint:smallint", Map.of("serialization.format", "9"), none, "-128\t32767\n007\t\n");
    text("lazy_types", "date:timestamp:decimal(6,2):varchar(3):float", none, none, "2024-03-01\u00012024-03-01 10:00:00.5\u0001-1.25\u0001\u00e4\u00f6\u00fc\u00010.1\n1582-01-01\u0001\\N\u00017.25\u0001\u0001\\N\n");
    text(CSV, "csv_plain", "string:string:string", none, none, "a,b c,\"d, e\"\n\"x \"\"y\"\" z\",,\"\"\n\n1\n1,2,3,4\n a,b ,\"\"\"\"\nN,NULL,\n,,\n\"\",\"a\"\"\",b\r\n");
    text(CSV, "csv_other", "string:string:string", Map.of("separatorChar", ";", "quoteChar", "'", "escapeChar", "#"), none, "a;'b;c';\"d\"\n\\;'it''s';,\n");
  }

  private static final String JSON = "org.apache.hadoop.hive.serde2.JsonSerDe";

  /** Tables of random lines. */
  private void randomTexts() throws Exception {
    for (int i = 0; i < 60; i++) {
      Texts t = new Texts(i);
      Texts.Made m = i % 6 == 4 ? t.csv() : i % 6 == 5 ? t.json() : t.lazy();
      text(Map.of("lazy", LAZY, "csv", CSV, "json", JSON).get(m.serde()), "text" + i, m.types(), m.parameters(), Map.of(), m.content());
    }
  }

  private void text(String name, String types, Map<String, String> serde, Map<String, String> parameters, String content) throws Exception {
    text(LAZY, name, types, serde, parameters, content);
  }

  private void text(String by, String name, String types, Map<String, String> serde, Map<String, String> parameters, String content) throws Exception {
    Path at = dir.resolve(name);
    Files.createDirectories(at);
    Files.writeString(at.resolve("f"), content, StandardCharsets.UTF_8);
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < Texts.split(types, ':').size(); i++) {
      names.append(i > 0 ? "," : "").append("c").append(i);
    }
    StorageDescriptor s = storage(TEXT, by, columns(names.toString(), types), at);
    s.getSerdeInfo().setParameters(new HashMap<>(serde));
    create(name, "EXTERNAL_TABLE", s, List.of(), parameters);
  }
}
