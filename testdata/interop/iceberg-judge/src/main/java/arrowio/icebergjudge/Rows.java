package arrowio.icebergjudge;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.orc.ORCSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;

/** Rows as text: that of orc-judge, with uuids as their bytes and times as microseconds. */
final class Rows {
  private Rows() {}

  /** Writes the rows of a file under a schema, which must be what Iceberg makes of the file's own types. */
  static void dump(File f, String json, File to) throws IOException {
    Schema schema = SchemaParser.fromJson(json);
    try (Reader r = OrcFile.createReader(new Path(f.toURI()), OrcFile.readerOptions(new Configuration()))) {
      Schema own = ORCSchemaUtil.convert(r.getSchema());
      if (!own.asStruct().equals(schema.asStruct())) {
        throw new IllegalArgumentException("the types say " + own.asStruct() + " and not " + schema.asStruct());
      }
    }
    try (BufferedWriter w = Files.newBufferedWriter(to.toPath(), StandardCharsets.UTF_8);
        CloseableIterable<Record> rows = read(f, schema)) {
      for (Record row : rows) {
        w.write(text(row, schema));
        w.write('\n');
      }
    }
  }

  static CloseableIterable<Record> read(File f, Schema schema) {
    return ORC.read(org.apache.iceberg.Files.localInput(f))
        .project(schema)
        .createReaderFunc(types -> GenericOrcReader.buildReader(schema, types))
        .build();
  }

  static String text(Record row, Schema schema) {
    StringBuilder b = new StringBuilder();
    put(b, row, schema.asStruct());
    return b.toString();
  }

  private static void hex(StringBuilder b, byte[] bytes) {
    if (bytes.length > 4096) {
      try {
        byte[] sum = java.security.MessageDigest.getInstance("SHA-256").digest(bytes);
        b.append("{\"len\":").append(bytes.length).append(",\"sha256\":");
        hex(b, sum);
        b.append('}');
      } catch (java.security.NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
      return;
    }
    b.append('"');
    for (byte x : bytes) {
      b.append(String.format("%02x", x));
    }
    b.append('"');
  }

  private static void string(StringBuilder b, String s) {
    byte[] bytes = s.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 4096) {
      hex(b, bytes);
      return;
    }
    b.append('"');
    for (char c : s.toCharArray()) {
      if (c == '"' || c == '\\') {
        b.append('\\').append(c);
      } else if (c < 32 || c > 126) {
        b.append(String.format("\\u%04x", (int) c));
      } else {
        b.append(c);
      }
    }
    b.append('"');
  }

  private static void put(StringBuilder b, Object o, Type t) {
    if (o == null) {
      b.append("null");
      return;
    }
    switch (t.typeId()) {
      case BOOLEAN, INTEGER, LONG -> b.append(o);
      case FLOAT -> b.append(String.format("\"f%08x\"", Float.floatToRawIntBits((Float) o)));
      case DOUBLE -> b.append(String.format("\"d%016x\"", Double.doubleToRawLongBits((Double) o)));
      case DATE -> b.append(((LocalDate) o).toEpochDay());
      case TIME -> b.append(((LocalTime) o).toNanoOfDay() / 1000);
      case TIMESTAMP, TIMESTAMP_NANO -> {
        LocalDateTime at =
            o instanceof OffsetDateTime z ? z.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime() : (LocalDateTime) o;
        b.append('[').append(at.toEpochSecond(ZoneOffset.UTC)).append(',').append(at.getNano()).append(']');
      }
      case STRING -> string(b, o.toString());
      case UUID -> {
        UUID u = (UUID) o;
        hex(b, ByteBuffer.allocate(16).putLong(u.getMostSignificantBits()).putLong(u.getLeastSignificantBits()).array());
      }
      case FIXED -> hex(b, (byte[]) o);
      case BINARY -> {
        ByteBuffer x = ((ByteBuffer) o).duplicate();
        byte[] bytes = new byte[x.remaining()];
        x.get(bytes);
        hex(b, bytes);
      }
      case DECIMAL -> b.append('"').append(((BigDecimal) o).toPlainString()).append('"');
      case LIST -> {
        char before = '[';
        for (Object x : (List<?>) o) {
          b.append(before);
          put(b, x, t.asListType().elementType());
          before = ',';
        }
        b.append(before == '[' ? "[]" : "]");
      }
      case MAP -> {
        char before = '[';
        for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
          b.append(before).append('[');
          put(b, e.getKey(), t.asMapType().keyType());
          b.append(',');
          put(b, e.getValue(), t.asMapType().valueType());
          b.append(']');
          before = ',';
        }
        b.append(before == '[' ? "[]" : "]");
      }
      case STRUCT -> {
        char before = '[';
        List<Types.NestedField> fields = t.asStructType().fields();
        for (int i = 0; i < fields.size(); i++) {
          b.append(before);
          put(b, ((Record) o).get(i), fields.get(i).type());
          before = ',';
        }
        b.append(before == '[' ? "[]" : "]");
      }
      default -> throw new IllegalArgumentException(t.toString());
    }
  }
}
