package arrowio.kudujudge;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnSchema.CompressionAlgorithm;
import org.apache.kudu.ColumnSchema.Encoding;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduPartitioner;
import org.apache.kudu.client.KuduPredicate;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.LocatedTablet;
import org.apache.kudu.client.Operation;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.RowResult;

/**
 * Does what lines say, words between tabs, and answers a line each: "ok" and what came of it, or "error" and why. Rows are
 * canonical rows; nothing is known here of what they should be.
 *
 * <pre>
 *   open DIR                     the server that all that follows is about; again after each start
 *   create TABLE PARTS COLUMN... PARTS is - or hash N COLUMN,... and perhaps a number of replicas; a column is NAME TYPE, and
 *                                words: key, null, an encoding, a codec, block=BYTES, default=INTEGER; a type may be
 *                                decimal(P,S) or varchar(N)
 *   tablets TABLE                the tablets, in the order of partitions
 *   place TABLE ROWS OUT         writes the tablet of each row of a file
 *   apply TABLE FILE             does what a file says: an operation and a row each line, insert, update (the whole row),
 *                                delete; with a ! behind it where it must fail, as the row is there, or is not
 *   find TABLE FILE              looks up keys by predicates: the key's values, and the row that must be found, or nothing
 *   scan TABLE MODULUS OUT       rows, the sum of their hashes; rows whose hash is a multiple of MODULUS go to a file
 *   live TABLE                   how many rows the server's statistics say there are
 *   flag NAME VALUE, flush, hold (nothing is flushed from now on), compact
 * </pre>
 */
final class Session {
  private static final HexFormat HEX = HexFormat.of();
  private static final int BATCH = 500;

  private Cluster cluster;

  void run(BufferedReader in, PrintStream out) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = "ok\t" + command(line.split("\t", -1));
      } catch (Exception e) {
        answer = "error\t" + e;
      }
      out.println(answer.replace('\n', ' '));
      out.flush();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private String command(String[] w) throws Exception {
    switch (w[0]) {
      case "open" -> {
        if (cluster != null) {
          cluster.close();
        }
        cluster = new Cluster(Path.of(w[1]));
      }
      case "create" -> create(w);
      case "tablets" -> {
        return String.join("\t", tablets(w[1]));
      }
      case "place" -> place(w[1], Path.of(w[2]), Path.of(w[3]));
      case "apply" -> apply(w[1], Path.of(w[2]));
      case "find" -> find(w[1], Path.of(w[2]));
      case "scan" -> {
        return scan(w[1], Long.parseLong(w[2]), Path.of(w[3]));
      }
      case "live" -> {
        return Long.toString(table(w[1]).getTableStatistics().getLiveRowCount());
      }
      case "flag" -> cluster.flag(w[1], w[2]);
      case "flush" -> {
        cluster.startFlushing();
        cluster.settle();
      }
      case "hold" -> cluster.stopFlushing();
      case "compact" -> cluster.compact(true, true, true);
      default -> throw new IllegalArgumentException("no command " + w[0]);
    }
    return "";
  }

  private KuduTable table(String name) throws IOException {
    return cluster.client.openTable(name);
  }

  private void create(String[] w) throws IOException {
    List<ColumnSchema> columns = new ArrayList<>();
    for (int i = 3; i < w.length; i++) {
      columns.add(column(w[i].split(" ")));
    }
    CreateTableOptions o = new CreateTableOptions();
    String[] parts = w[2].split(" ");
    o.setNumReplicas(parts.length > 3 ? Integer.parseInt(parts[3]) : 1);
    if (parts[0].equals("hash")) {
      o.addHashPartitions(List.of(parts[2].split(",")), Integer.parseInt(parts[1])).setRangePartitionColumns(List.of());
    } else {
      o.setRangePartitionColumns(List.of(columns.get(0).getName()));
    }
    cluster.client.createTable(w[1], new Schema(columns), o);
  }

  private static ColumnSchema column(String[] w) {
    String[] type = w[1].toUpperCase(Locale.ROOT).split("[(,)]");
    Column c = new Column(w[0], Type.valueOf(type[0]));
    if (c.type == Type.DECIMAL) {
      c.decimal(Integer.parseInt(type[1]), Integer.parseInt(type[2]));
    } else if (c.type == Type.VARCHAR) {
      c.length = Integer.parseInt(type[1]);
    }
    for (int i = 2; i < w.length; i++) {
      switch (w[i]) {
        case "key" -> c.key();
        case "null" -> c.nulls("");
        case "lz4", "snappy", "zlib", "no_compression" -> c.codec(CompressionAlgorithm.valueOf(w[i].toUpperCase(Locale.ROOT)));
        case "plain", "prefix", "dict" -> c.encoding(Encoding.valueOf(w[i].toUpperCase(Locale.ROOT) + "_ENCODING"));
        case "rle", "bit_shuffle" -> c.encoding(Encoding.valueOf(w[i].toUpperCase(Locale.ROOT)));
        default -> {
          String[] set = w[i].split("=");
          switch (set[0]) {
            case "block" -> c.block(Integer.parseInt(set[1]));
            case "default" -> c.initial(cell(c.schema(), Long.valueOf(set[1])));
            default -> throw new IllegalArgumentException(w[i]);
          }
        }
      }
    }
    return c.schema();
  }

  private List<String> tablets(String name) throws Exception {
    List<LocatedTablet> all = table(name).getTabletsLocations(60_000);
    return all.stream().map(t -> new String(t.getTabletId(), StandardCharsets.US_ASCII)).collect(Collectors.toList());
  }

  private void place(String name, Path rows, Path out) throws Exception {
    KuduTable t = table(name);
    List<String> tablets = tablets(name);
    KuduPartitioner p = new KuduPartitioner.KuduPartitionerBuilder(t).build();
    try (BufferedReader in = Files.newBufferedReader(rows); BufferedWriter w = Files.newBufferedWriter(out)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        PartialRow r = t.getSchema().newPartialRow();
        fill(r, t.getSchema(), Json.row(line), true);
        w.append(tablets.get(p.partitionRow(r))).append('\n');
      }
    }
  }

  private void apply(String name, Path file) throws IOException {
    KuduTable t = table(name);
    KuduSession s = cluster.session();
    List<String> waiting = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] w = line.split("\t");
        Operation o = switch (w[0].replace("!", "")) {
          case "insert" -> t.newInsert();
          case "update" -> t.newUpdate();
          case "delete" -> t.newDelete();
          default -> throw new IllegalArgumentException(w[0]);
        };
        fill(o.getRow(), t.getSchema(), Json.row(w[1]), w[0].startsWith("delete"));
        s.apply(o);
        waiting.add(line);
        if (waiting.size() == BATCH) {
          check(s, waiting);
        }
      }
    }
    check(s, waiting);
    s.close();
  }

  /** Sends what the session holds, and compares which of it failed with which should. */
  private static void check(KuduSession s, List<String> waiting) throws IOException {
    int k = 0;
    for (OperationResponse r : s.flush()) {
      String line = waiting.get(k++);
      boolean refused = line.substring(0, line.indexOf('\t')).endsWith("!");
      if (!r.hasRowError()) {
        if (refused) {
          throw new IOException("not refused: " + line);
        }
        continue;
      }
      var why = r.getRowError().getErrorStatus();
      if (!refused || !(line.startsWith("insert") ? why.isAlreadyPresent() : why.isNotFound())) {
        throw new IOException(why + ": " + line);
      }
    }
    if (k != waiting.size()) {
      throw new IOException(k + " answers to " + waiting.size() + " operations");
    }
    waiting.clear();
  }

  private void find(String name, Path file) throws IOException {
    KuduTable t = table(name);
    List<ColumnSchema> keys = t.getSchema().getPrimaryKeyColumns();
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] w = line.split("\t", -1);
        List<?> key = Json.row(w[0]);
        KuduScanner.KuduScannerBuilder b = cluster.client.newScannerBuilder(t);
        for (int k = 0; k < keys.size(); k++) {
          b.addPredicate(KuduPredicate.newComparisonPredicate(keys.get(k), KuduPredicate.ComparisonOp.EQUAL, cell(keys.get(k), key.get(k))));
        }
        String got = "";
        KuduScanner s = b.build();
        while (s.hasMoreRows()) {
          for (RowResult r : s.nextRows()) {
            got += RowText.row(r);
          }
        }
        if (!got.equals(w[1])) {
          throw new IOException("key " + w[0] + ": found " + got + ", not " + w[1]);
        }
      }
    }
  }

  /** The hash is the 64-bit FNV-1a of the text, mixed as at the end of splitmix64. */
  private String scan(String name, long modulus, Path out) throws IOException {
    long[] sum = {0};
    int rows;
    try (BufferedWriter w = Files.newBufferedWriter(out)) {
      rows = RowText.scan(cluster, name, null, r -> {
        CharSequence text = RowText.row(r);
        long h = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
          h = (h ^ text.charAt(i)) * 0x100000001b3L;
        }
        h = (h ^ h >>> 30) * 0xbf58476d1ce4e5b9L;
        h = (h ^ h >>> 27) * 0x94d049bb133111ebL;
        h ^= h >>> 31;
        sum[0] += h;
        if (Long.remainderUnsigned(h, modulus) == 0) {
          w.append(text).append('\n');
        }
      });
    }
    return rows + "\t" + HEX.toHexDigits(sum[0]);
  }

  /** Sets the columns of a row, or those of its key alone. */
  private static void fill(PartialRow to, Schema schema, List<?> row, boolean key) {
    int n = key ? schema.getPrimaryKeyColumnCount() : schema.getColumnCount();
    for (int k = 0; k < n; k++) {
      if (row.get(k) == null) {
        to.setNull(k);
      } else {
        to.addObject(k, cell(schema.getColumnByIndex(k), row.get(k)));
      }
    }
  }

  /** A value as the client takes it. */
  private static Object cell(ColumnSchema c, Object v) {
    return switch (c.getType()) {
      case INT8 -> ((Long) v).byteValue();
      case INT16 -> ((Long) v).shortValue();
      case INT32 -> ((Long) v).intValue();
      case DATE -> Date.valueOf(LocalDate.ofEpochDay((Long) v));
      case UNIXTIME_MICROS -> micros((List<?>) v);
      case FLOAT -> Float.intBitsToFloat(Integer.parseUnsignedInt(((String) v).substring(1), 16));
      case DOUBLE -> Double.longBitsToDouble(Long.parseUnsignedLong(((String) v).substring(1), 16));
      case DECIMAL -> new BigDecimal((String) v);
      case BINARY -> HEX.parseHex((String) v);
      default -> v;
    };
  }

  private static Object micros(List<?> v) {
    return (Long) v.get(0) * 1_000_000 + (Long) v.get(1) / 1000;
  }
}
