package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.Decimal64ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.UnionColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;

/**
 * Canonical rows of a file: a line of JSON a row, an array of the columns, or the value where the root is no struct.
 * The README of testdata/interop has the rules.
 */
final class RowText {
  private static final int LONGEST = 4096;
  private static final long SECOND = 1_000_000_000L;
  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder b = new StringBuilder();

  RowText() {}

  static void print(File f, boolean withKeys, LineSink sink) throws IOException {
    try (Reader r = OrcFiles.open(f, withKeys);
        RecordReader rows = r.rows(r.options())) {
      TypeDescription schema = r.getSchema();
      VectorizedRowBatch batch = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 1024);
      RowText text = new RowText();
      while (rows.nextBatch(batch)) {
        for (int i = 0; i < batch.size; i++) {
          sink.line(text.row(batch, schema, i));
        }
      }
    }
  }

  CharSequence row(VectorizedRowBatch batch, TypeDescription schema, int i) throws IOException {
    b.setLength(0);
    if (schema.getCategory() != TypeDescription.Category.STRUCT) {
      value(batch.cols[0], schema, i);
      return b;
    }
    fields(batch.cols, schema, i);
    return b;
  }

  private void fields(ColumnVector[] columns, TypeDescription type, int i) throws IOException {
    b.append('[');
    for (int k = 0; k < columns.length; k++) {
      if (k > 0) {
        b.append(',');
      }
      value(columns[k], type.getChildren().get(k), i);
    }
    b.append(']');
  }

  private void value(ColumnVector v, TypeDescription t, int row) throws IOException {
    int i = v.isRepeating ? 0 : row;
    if (!v.noNulls && v.isNull[i]) {
      b.append("null");
      return;
    }
    switch (t.getCategory()) {
      case BOOLEAN -> b.append(((LongColumnVector) v).vector[i] != 0);
      case BYTE, SHORT, INT, LONG, DATE -> b.append(((LongColumnVector) v).vector[i]);
      case FLOAT -> b.append("\"f")
          .append(HEX.toHexDigits(Float.floatToRawIntBits((float) ((DoubleColumnVector) v).vector[i]))).append('"');
      case DOUBLE -> b.append("\"d")
          .append(HEX.toHexDigits(Double.doubleToRawLongBits(((DoubleColumnVector) v).vector[i]))).append('"');
      case STRING, CHAR, VARCHAR -> bytes((BytesColumnVector) v, i, true);
      case BINARY, Geometry, Geography -> bytes((BytesColumnVector) v, i, false);
      case TIMESTAMP, TIMESTAMP_INSTANT -> timestamp((TimestampColumnVector) v, i);
      case DECIMAL -> decimal(v, t, i);
      case STRUCT -> fields(((StructColumnVector) v).fields, t, i);
      case UNION -> {
        UnionColumnVector u = (UnionColumnVector) v;
        int tag = u.tags[i];
        b.append("{\"tag\":").append(tag).append(",\"value\":");
        value(u.fields[tag], t.getChildren().get(tag), i);
        b.append('}');
      }
      case LIST -> {
        ListColumnVector l = (ListColumnVector) v;
        b.append('[');
        for (int k = 0; k < l.lengths[i]; k++) {
          if (k > 0) {
            b.append(',');
          }
          value(l.child, t.getChildren().get(0), (int) l.offsets[i] + k);
        }
        b.append(']');
      }
      case MAP -> {
        MapColumnVector m = (MapColumnVector) v;
        b.append('[');
        for (int k = 0; k < m.lengths[i]; k++) {
          b.append(k > 0 ? ",[" : "[");
          value(m.keys, t.getChildren().get(0), (int) m.offsets[i] + k);
          b.append(',');
          value(m.values, t.getChildren().get(1), (int) m.offsets[i] + k);
          b.append(']');
        }
        b.append(']');
      }
      default -> throw new IOException("no text for " + t);
    }
  }

  private void timestamp(TimestampColumnVector v, int i) {
    long seconds = Math.floorDiv(v.time[i], 1000L);
    long nanos = v.nanos[i];
    if (nanos < 0) {
      // The C++ writer of Arrow stores negative nanoseconds before 1970, of which only the part below a millisecond
      // is not in the milliseconds.
      nanos = Math.floorMod(v.time[i], 1000L) * 1_000_000 + nanos % 1_000_000;
      seconds += Math.floorDiv(nanos, SECOND);
      nanos = Math.floorMod(nanos, SECOND);
    }
    b.append('[').append(seconds).append(',').append(nanos).append(']');
  }

  private void decimal(ColumnVector v, TypeDescription t, int i) {
    BigDecimal d = v instanceof Decimal64ColumnVector d64
        ? BigDecimal.valueOf(d64.vector[i], d64.scale)
        : ((DecimalColumnVector) v).vector[i].getHiveDecimal().bigDecimalValue();
    b.append('"').append((d.scale() <= t.getScale() ? d.setScale(t.getScale()) : d).toPlainString()).append('"');
  }

  private void bytes(BytesColumnVector v, int i, boolean text) {
    byte[] a = v.vector[i];
    int from = v.start[i];
    int n = v.length[i];
    if (n > LONGEST) {
      b.append("{\"len\":").append(n).append(",\"sha256\":\"").append(HEX.formatHex(sha256(a, from, n))).append("\"}");
      return;
    }
    if (!text) {
      b.append('"').append(HEX.formatHex(a, from, from + n)).append('"');
      return;
    }
    try {
      string(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(a, from, n)));
    } catch (CharacterCodingException e) {
      b.append("{\"badutf8\":\"").append(HEX.formatHex(a, from, from + n)).append("\"}");
    }
  }

  private void string(CharSequence s) {
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
    b.append('"');
  }

  private static byte[] sha256(byte[] a, int from, int n) {
    try {
      MessageDigest d = MessageDigest.getInstance("SHA-256");
      d.update(a, from, n);
      return d.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
