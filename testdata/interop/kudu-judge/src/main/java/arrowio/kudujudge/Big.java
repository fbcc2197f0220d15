package arrowio.kudujudge;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.ColumnSchema.CompressionAlgorithm;
import org.apache.kudu.ColumnSchema.Encoding;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.Insert;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.SessionConfiguration.FlushMode;

/** The tables that speed is measured on. */
final class Big {
  private interface Row {
    void fill(PartialRow row, long i);
  }

  private final Cluster cluster;
  private final Random random = new Random(20240607);
  private final String[] cities = words(1000, 4, 12);
  private final String[] words = words(2000, 2, 8);

  Big(Cluster cluster) {
    this.cluster = cluster;
  }

  private String[] words(int count, int shortest, int more) {
    String[] out = new String[count];
    for (int i = 0; i < count; i++) {
      StringBuilder b = new StringBuilder();
      for (int n = shortest + random.nextInt(more); n > 0; n--) {
        b.append((char) ('a' + random.nextInt(26)));
      }
      out[i] = b.toString();
    }
    return out;
  }

  private static ColumnSchema column(String name, Type type, Encoding encoding, CompressionAlgorithm codec, boolean nullable) {
    return new ColumnSchemaBuilder(name, type).nullable(nullable).encoding(encoding).compressionAlgorithm(codec).build();
  }

  private static ColumnSchema column(String name, Type type, Encoding encoding) {
    return column(name, type, encoding, CompressionAlgorithm.DEFAULT_COMPRESSION, false);
  }

  private static ColumnSchema key() {
    return new ColumnSchemaBuilder("id", Type.INT64).key(true).build();
  }

  private String city() {
    return cities[(int) Math.min(999, Math.abs(random.nextGaussian()) * 250)];
  }

  private double price() {
    return Math.round(random.nextGaussian() * 10000 + 50000) / 100.0;
  }

  private String comment() {
    return words[random.nextInt(2000)] + " " + words[random.nextInt(2000)] + " " + words[random.nextInt(2000)];
  }

  /** Six columns as they are in many tables. */
  void table(long rows) throws IOException, InterruptedException {
    List<ColumnSchema> columns = List.of(
        key(),
        column("price", Type.DOUBLE, Encoding.AUTO_ENCODING),
        column("city", Type.STRING, Encoding.DICT_ENCODING),
        column("ts", Type.UNIXTIME_MICROS, Encoding.AUTO_ENCODING),
        column("qty", Type.INT32, Encoding.AUTO_ENCODING, CompressionAlgorithm.DEFAULT_COMPRESSION, true),
        column("comment", Type.STRING, Encoding.PLAIN_ENCODING, CompressionAlgorithm.LZ4, false));
    fill("big", columns, rows, (w, i) -> {
      w.addLong(0, i);
      w.addDouble(1, price());
      w.addString(2, city());
      w.addLong(3, 1700000000000000L + i * 1000 + random.nextInt(1000));
      if (random.nextInt(10) == 0) {
        w.setNull(4);
      } else {
        w.addInt(4, random.nextInt(1000));
      }
      w.addString(5, comment());
    });
  }

  /** A column for each encoding, to be read as a lone file. */
  void columns(long rows) throws IOException, InterruptedException {
    List<ColumnSchema> columns = List.of(
        key(),
        column("double_plain", Type.DOUBLE, Encoding.PLAIN_ENCODING),
        column("int64_bitshuffle", Type.INT64, Encoding.BIT_SHUFFLE),
        column("int32_bitshuffle", Type.INT32, Encoding.BIT_SHUFFLE),
        column("string_dict", Type.STRING, Encoding.DICT_ENCODING),
        column("string_plain_lz4", Type.STRING, Encoding.PLAIN_ENCODING, CompressionAlgorithm.LZ4, false),
        column("int32_rle", Type.INT32, Encoding.RLE),
        column("string_prefix", Type.STRING, Encoding.PREFIX_ENCODING),
        column("int64_nulls", Type.INT64, Encoding.BIT_SHUFFLE, CompressionAlgorithm.DEFAULT_COMPRESSION, true));
    int[] status = new int[1];
    fill("columns", columns, rows, (w, i) -> {
      w.addLong(0, i);
      w.addDouble(1, price());
      w.addLong(2, 1700000000000000L + i * 1000 + random.nextInt(1000));
      w.addInt(3, random.nextInt(1000));
      w.addString(4, city());
      w.addString(5, comment());
      if (random.nextInt(20) == 0) {
        status[0] = random.nextInt(8);
      }
      w.addInt(6, status[0]);
      w.addString(7, String.format(Locale.ROOT, "%s/%09d", cities[(int) (i * 1000 / rows)], i));
      if (random.nextInt(10) == 0) {
        w.setNull(8);
      } else {
        w.addLong(8, (long) (random.nextGaussian() * 1e9));
      }
    });
  }

  private void fill(String name, List<ColumnSchema> columns, long rows, Row row) throws IOException, InterruptedException {
    KuduTable table = cluster.client.createTable(name, new Schema(columns),
        new CreateTableOptions().setNumReplicas(1).setRangePartitionColumns(List.of("id")));
    KuduSession s = cluster.session();
    s.setFlushMode(FlushMode.AUTO_FLUSH_BACKGROUND);
    for (long i = 0; i < rows; i++) {
      Insert op = table.newInsert();
      row.fill(op.getRow(), i);
      s.apply(op);
    }
    s.flush();
    s.close();
    if (s.countPendingErrors() > 0) {
      throw new IOException(s.getPendingErrors().getRowErrors()[0].toString());
    }
    cluster.flag("flush_threshold_secs", 1);
    cluster.settle();
  }
}
