package arrowio.kudujudge;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.client.AsyncKuduScanner.ReadMode;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.RowResult;

/** Canonical rows, those of orc-judge: a line of JSON a row, an array of the columns. In the order of the primary key. */
final class RowText {
  private static final int LONGEST = 4096;
  private static final HexFormat HEX = HexFormat.of();

  interface Line {
    void row(RowResult r) throws IOException;
  }

  private RowText() {}

  /** Calls line for each row of a table, as of a timestamp, or the latest where it is null; returns how many. */
  static int scan(Cluster c, String table, Long snapshot, Line line) throws IOException {
    KuduScanner.KuduScannerBuilder b = c.client.newScannerBuilder(c.client.openTable(table)).setFaultTolerant(true)
        .readMode(ReadMode.READ_AT_SNAPSHOT);
    long at = snapshot != null ? snapshot : c.now();
    if (at > 0) { // a client that has heard nothing yet leaves it to the server
      b.snapshotTimestampRaw(at);
    }
    KuduScanner s = b.build();
    int rows = 0;
    while (s.hasMoreRows()) {
      for (RowResult r : s.nextRows()) {
        line.row(r);
        rows++;
      }
    }
    s.close();
    return rows;
  }

  /** Writes the rows of a table, gzipped; returns how many. */
  static int write(Cluster c, String table, Long snapshot, Path to) throws IOException {
    try (Writer w = zip(to)) {
      return scan(c, table, snapshot, r -> w.append(row(r)).append('\n'));
    }
  }

  /** Writes each column as if it were the only one, to DIR/COLUMN.jsonl.gz. */
  static void writeColumns(Cluster c, String table, Path dir) throws IOException {
    int n = 0;
    for (ColumnSchema column : c.client.openTable(table).getSchema().getColumns()) {
      int k = n++;
      try (Writer w = zip(dir.resolve(column.getName() + ".jsonl.gz"))) {
        scan(c, table, null, r -> w.append('[').append(value(new StringBuilder(), r, k)).append("]\n"));
      }
    }
  }

  /** gzip at its best level, without a name or a time: the same bytes every time. */
  static Writer zip(Path to) throws IOException {
    OutputStream out = new GZIPOutputStream(Files.newOutputStream(to), 1 << 16) {
      {
        def.setLevel(9);
      }
    };
    return new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
  }

  static CharSequence row(RowResult r) {
    StringBuilder b = new StringBuilder("[");
    for (int k = 0; k < r.getSchema().getColumnCount(); k++) {
      value(k > 0 ? b.append(',') : b, r, k);
    }
    return b.append(']');
  }

  private static StringBuilder value(StringBuilder b, RowResult r, int k) {
    if (r.isNull(k)) {
      return b.append("null");
    }
    return switch (r.getColumnType(k)) {
      case BOOL -> b.append(r.getBoolean(k));
      case INT8 -> b.append(r.getByte(k));
      case INT16 -> b.append(r.getShort(k));
      case INT32 -> b.append(r.getInt(k));
      case INT64 -> b.append(r.getLong(k));
      case UNIXTIME_MICROS -> {
        long v = r.getLong(k);
        yield b.append('[').append(Math.floorDiv(v, 1_000_000L)).append(',').append(Math.floorMod(v, 1_000_000L) * 1000).append(']');
      }
      case DATE -> b.append(r.getDate(k).toLocalDate().toEpochDay());
      // getFloat and getDouble keep the bits, of NaN too.
      case FLOAT -> b.append("\"f").append(HEX.toHexDigits(Float.floatToRawIntBits(r.getFloat(k)))).append('"');
      case DOUBLE -> b.append("\"d").append(HEX.toHexDigits(Double.doubleToRawLongBits(r.getDouble(k)))).append('"');
      case DECIMAL -> decimal(b, r.getDecimal(k));
      case STRING -> bytes(b, ByteBuffer.wrap(r.getString(k).getBytes(StandardCharsets.UTF_8)), true);
      case VARCHAR -> bytes(b, ByteBuffer.wrap(r.getVarchar(k).getBytes(StandardCharsets.UTF_8)), true);
      case BINARY -> bytes(b, r.getBinary(k), false);
      default -> throw new IllegalArgumentException(r.getColumnType(k).toString());
    };
  }

  private static StringBuilder decimal(StringBuilder b, BigDecimal d) {
    return b.append('"').append(d.toPlainString()).append('"');
  }

  private static StringBuilder bytes(StringBuilder b, ByteBuffer v, boolean text) {
    byte[] a = new byte[v.remaining()];
    v.get(a);
    if (a.length > LONGEST) {
      return b.append("{\"len\":").append(a.length).append(",\"sha256\":\"").append(HEX.formatHex(sha256(a))).append("\"}");
    }
    if (!text) {
      return b.append('"').append(HEX.formatHex(a)).append('"');
    }
    try {
      return string(b, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(a)));
    } catch (CharacterCodingException e) {
      return b.append("{\"badutf8\":\"").append(HEX.formatHex(a)).append("\"}");
    }
  }

  private static StringBuilder string(StringBuilder b, CharSequence s) {
    b.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        b.append('\\').append(c);
      } else if (c < 0x20 || c > 0x7e) {
        b.append("\\u").append(HEX.toHexDigits((short) c));
      } else {
        b.append(c);
      }
    }
    return b.append('"');
  }

  private static byte[] sha256(byte[] a) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(a);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
