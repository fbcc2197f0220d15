package arrowio.kudujudge;

import static org.apache.kudu.ColumnSchema.CompressionAlgorithm.LZ4;
import static org.apache.kudu.ColumnSchema.CompressionAlgorithm.NO_COMPRESSION;
import static org.apache.kudu.ColumnSchema.CompressionAlgorithm.SNAPPY;
import static org.apache.kudu.ColumnSchema.CompressionAlgorithm.ZLIB;
import static org.apache.kudu.ColumnSchema.Encoding.BIT_SHUFFLE;
import static org.apache.kudu.ColumnSchema.Encoding.DICT_ENCODING;
import static org.apache.kudu.ColumnSchema.Encoding.PLAIN_ENCODING;
import static org.apache.kudu.ColumnSchema.Encoding.PREFIX_ENCODING;
import static org.apache.kudu.ColumnSchema.Encoding.RLE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kudu.ColumnSchema.CompressionAlgorithm;
import org.apache.kudu.ColumnSchema.Encoding;
import org.apache.kudu.Type;

/**
 * Tables of one rowset, whose column files become fixtures: a column's name is that of the fixture, its comment says what
 * it shows. Columns without a comment are none.
 */
final class LoneFiles {
  private static final int ROWS = 100;
  static final CompressionAlgorithm[] CODECS = {NO_COMPRESSION, LZ4, SNAPPY, ZLIB};
  private static final String[] VALUES = {"runs", "random", "extreme", "mixed", "sequence", "small", "const"};
  private static final String[] NULLS = {"some", "alternate", "runs", "head", "rare", "tail", "none", "most"};

  private final Cluster cluster;
  private final Path out;

  LoneFiles(Cluster cluster, Path out) {
    this.cluster = cluster;
    this.out = out;
  }

  void write() throws IOException, InterruptedException {
    cluster.stopFlushing();
    Table required = table("required", key(), types(false));
    required.insert(0, ROWS);
    Table nullable = table("nullable", key(), types(true));
    nullable.insert(0, ROWS);
    table("longer", key(), longer()).insert(0, 400);
    table("longest", key(), longest()).insert(0, 1100);
    keys();
    deltas();
    cluster.startFlushing();
    cluster.settle();
    redo();
    for (String t : cluster.client.getTablesList().getTablesList()) {
      Path dir = Files.createDirectories(out.resolve(t));
      RowText.writeColumns(cluster, t, dir);
    }
  }

  private static Column key() {
    return new Column("id", Type.INT32).key();
  }

  private Table table(String name, Column key, List<Column> columns) throws IOException {
    List<Column> all = new ArrayList<>(List.of(key));
    all.addAll(columns);
    return Table.create(cluster, name, all, null, (i, c) -> i);
  }

  /** A column of each type. */
  static List<Column> typed() {
    return List.of(new Column("bool", Type.BOOL), new Column("int8", Type.INT8), new Column("int16", Type.INT16), new Column("int32", Type.INT32),
        new Column("int64", Type.INT64), new Column("float", Type.FLOAT), new Column("double", Type.DOUBLE),
        new Column("string", Type.STRING), new Column("binary", Type.BINARY), new Column("varchar", Type.VARCHAR),
        new Column("decimal9", Type.DECIMAL).decimal(9, 2), new Column("decimal18", Type.DECIMAL).decimal(18, 4),
        new Column("decimal38", Type.DECIMAL).decimal(38, 10), new Column("timestamp", Type.UNIXTIME_MICROS), new Column("date", Type.DATE));
  }

  /** The column of a type in an encoding, with a codec; values and nulls by the number n. */
  static Column variant(Column type, Encoding e, CompressionAlgorithm codec, int n, boolean nullable) {
    Column c = new Column(String.join("-", type.name, Column.word(e), Column.word(codec)) + (nullable ? "-nulls" : ""), type.type)
        .encoding(e).codec(codec).values(VALUES[n % VALUES.length]).decimal(type.precision, type.scale);
    return nullable ? c.nulls(NULLS[n % NULLS.length]) : c;
  }

  /** Every type in every encoding; codecs, values and nulls change from one to the next. */
  private static List<Column> types(boolean nullable) {
    List<Column> out = new ArrayList<>();
    int n = nullable ? 2 : 0;
    for (Column t : typed()) {
      for (Encoding e : encodings(t)) {
        Column c = variant(t, e, CODECS[n % CODECS.length], n, nullable).block(512);
        out.add(c.comment(c.values + " values, blocks of 512 bytes" + (nullable ? "; nulls: " + c.nulls : "")));
        n++;
      }
      n++;
    }
    return out;
  }

  static List<Encoding> encodings(Column c) {
    return switch (c.type) {
      case BOOL -> List.of(PLAIN_ENCODING, RLE);
      case FLOAT, DOUBLE -> List.of(PLAIN_ENCODING, BIT_SHUFFLE);
      case STRING, BINARY, VARCHAR -> List.of(PLAIN_ENCODING, PREFIX_ENCODING, DICT_ENCODING);
      case DECIMAL -> c.precision > 18 ? List.of(PLAIN_ENCODING, BIT_SHUFFLE) : List.of(PLAIN_ENCODING, BIT_SHUFFLE, RLE);
      default -> List.of(PLAIN_ENCODING, BIT_SHUFFLE, RLE);
    };
  }

  private static Column column(String name, Type type, Encoding e, CompressionAlgorithm codec, String values, String shows) {
    return new Column(name, type).encoding(e).codec(codec).values(values).comment(shows);
  }

  private static List<Column> longer() {
    return List.of(
        column("mixed-runs-int16", Type.INT16, RLE, SNAPPY, "mixed", "runs and literals in blocks of 512 bytes").block(512),
        column("dict-overflow", Type.STRING, DICT_ENCODING, ZLIB, "mixed", "a dictionary that is full: plain blocks behind code words").block(512),
        column("dict-overflow-nulls", Type.STRING, DICT_ENCODING, SNAPPY, "distinct", "the same, with nulls").block(512).nulls("head"),
        column("prefix-restarts", Type.STRING, PREFIX_ENCODING, ZLIB, "sequence", "long shared prefixes, many restarts").block(4096),
        column("empty-strings", Type.STRING, PLAIN_ENCODING, ZLIB, "extreme", "no null, but empty strings and others").nulls("none").block(512));
  }

  private static List<Column> longest() {
    List<Column> out = new ArrayList<>(List.of(
        column("long-runs-int32", Type.INT32, RLE, NO_COMPRESSION, "longruns", "runs of 999 values"),
        column("long-runs-bool", Type.BOOL, RLE, NO_COMPRESSION, "longruns", "runs of 999 values between runs of nulls").nulls("runs"),
        column("chunks-int64", Type.INT64, BIT_SHUFFLE, NO_COMPRESSION, "sequence", "a bitshuffle block of several chunks, the last one short"),
        column("chunks-int8", Type.INT8, BIT_SHUFFLE, NO_COMPRESSION, "small", "one short bitshuffle chunk of bytes"),
        column("dict-codes-2", Type.STRING, DICT_ENCODING, LZ4, "words300", "300 words: codes of two bytes in some blocks").block(8192),
        column("most-null", Type.DOUBLE, BIT_SHUFFLE, NO_COMPRESSION, "small", "few values among nulls").nulls("most")));
    for (Column c : List.of(new Column("bool", Type.BOOL), new Column("int32", Type.INT32), new Column("double", Type.DOUBLE),
        new Column("string", Type.STRING))) {
      for (Encoding e : encodings(c)) {
        out.add(column("all-null-" + c.name + "-" + Column.word(e), c.type, e, CODECS[out.size() % 4], "const", "nothing but nulls").nulls("all"));
      }
    }
    return out;
  }

  /** Files with an index of values: the only key column's own, or that of a composite key. */
  private void keys() throws IOException {
    String same = "p".repeat(4000);
    Column v = new Column("v", Type.INT8);
    Table.create(cluster, "deep-key", List.of(column("deep-value-index", Type.STRING, PLAIN_ENCODING, ZLIB, "",
        "keys of 4000 bytes, a block each: an index of values of several levels").key().block(512), v), null, (i, c) -> same + (1000 + i)).insert(0, 80);
    Table.create(cluster, "int-key", List.of(column("key-int64", Type.INT64, BIT_SHUFFLE, LZ4, "", "a key column with an index of values")
        .key().block(512), v), null, (i, c) -> (i - 500) * 99_999_999_977L).insert(0, 400);
    Table.create(cluster, "string-key", List.of(column("key-string", Type.STRING, PREFIX_ENCODING, NO_COMPRESSION, "",
        "a key column with an index of values, prefix encoded").key().block(512), v), null,
        (i, c) -> Integer.toString(i * 7919, 36) + (i % 3 == 0 ? "\u0000" : "")).insert(0, 200);
    Table.create(cluster, "composite", composite(), null, LoneFiles::compositeKey).insert(0, 300);
  }

  static List<Column> composite() {
    return List.of(new Column("s", Type.STRING).key(), new Column("i", Type.INT32).key(), new Column("b", Type.BINARY).key(),
        new Column("t", Type.UNIXTIME_MICROS).key(), new Column("m", Type.DECIMAL).decimal(20, 3).key(), new Column("w", Type.INT16).key(),
        new Column("d", Type.DATE).key(), new Column("last", Type.VARCHAR).key(), new Column("v", Type.DOUBLE).nulls("some"));
  }

  static Object compositeKey(int i, Column c) {
    return switch (c.name) {
      case "s" -> new String[] {"", "a", "a\u0000b", "a\u0000", "b", "\u00ff", "long-" + i % 9}[i % 7];
      case "i" -> new int[] {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE}[i / 7 % 5];
      case "b" -> new byte[][] {{}, {0}, {0, 0}, {0, 1}, {1, 0, 2}, {-1}}[i / 3 % 6];
      case "last" -> "x" + i;
      default -> Values.at("composite", c, i % 5, 0);
    };
  }

  private static final String SOMETHING = "number";

  /** Rows that are changed before they are flushed, which is all in the UNDO file then. */
  private void deltas() throws IOException {
    Table t = table("undo", key(), List.of(new Column(SOMETHING, Type.INT64).nulls("some"), new Column("word", Type.STRING).nulls("some")));
    t.insert(0, 60);
    t.update(Table.every(3, 0, 60), 1, c -> true);
    t.update(Table.every(6, 0, 60), 2, c -> c.name.equals(SOMETHING));
    t.delete(Table.every(10, 0, 60));
    t.insert(Table.every(20, 0, 60), 3);
  }

  /** Rows that are changed once they are on disk: three REDO files. */
  private void redo() throws IOException, InterruptedException {
    Table t = table("redo", key(), List.of(new Column(SOMETHING, Type.INT64).nulls("some"), new Column("word", Type.STRING).nulls("some")));
    t.insert(0, 300);
    cluster.settle();
    t.update(Table.every(3, 0, 300), 1, c -> true);
    cluster.settle();
    t.update(Table.every(5, 0, 300), 2, c -> c.name.equals(SOMETHING));
    t.update(Table.every(5, 0, 300), 3, c -> c.name.equals(SOMETHING));
    cluster.settle();
    t.delete(Table.every(7, 0, 300));
    cluster.settle();
  }
}
