package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.avro.AvroColumnReader;

/**
 * Avro data as text, and a Trevni file as the Java record reader sees it: a line with the schema's text, then a record
 * a line. A union is null or {"full name of the branch":value}; the keys of a map are sorted; an enum is its symbol.
 */
final class AvroText {
  /** The key of the file metadata that holds the schema. */
  static final String SCHEMA_KEY = "avro.schema";

  private AvroText() {}

  static boolean has(File f) throws IOException {
    try (ColumnFileReader in = new ColumnFileReader(f)) {
      return in.getMetaData().getString(SCHEMA_KEY) != null;
    }
  }

  static void print(File f, LineSink out) throws IOException {
    String text;
    try (ColumnFileReader in = new ColumnFileReader(f)) {
      text = in.getMetaData().getString(SCHEMA_KEY);
    }
    if (text == null) {
      throw new IOException("the file has no " + SCHEMA_KEY);
    }
    try (AvroColumnReader<Object> in = new AvroColumnReader<>(new AvroColumnReader.Params(f))) {
      StringBuilder b = new StringBuilder("{\"avro\":{\"schema\":");
      Json.string(b, text);
      out.line(b.append("}}"));
      Schema schema = in.getFileSchema();
      for (long i = 0; i < in.getRowCount(); i++) {
        b.setLength(0);
        datum(b, in.next(), schema);
        out.line(b);
      }
    }
  }

  static void datum(StringBuilder b, Object v, Schema s) {
    switch (s.getType()) {
      case NULL, BOOLEAN, INT, LONG -> b.append(v);
      case FLOAT -> Json.floatBits(b, (Float) v);
      case DOUBLE -> Json.doubleBits(b, (Double) v);
      case STRING -> Json.string(b, v.toString());
      case BYTES -> Json.bytes(b, (ByteBuffer) v);
      // The reader does not apply the element schema of array<enum> and array<fixed>: it gives the ordinal and the
      // bare buffer there.
      case ENUM -> Json.string(b, v instanceof Integer i ? s.getEnumSymbols().get(i) : v.toString());
      case FIXED -> Json.bytes(b, v instanceof ByteBuffer x ? x : ByteBuffer.wrap(((GenericFixed) v).bytes()));
      case ARRAY -> {
        String comma = "";
        b.append('[');
        for (Object e : (Iterable<?>) v) {
          b.append(comma);
          comma = ",";
          datum(b, e, s.getElementType());
        }
        b.append(']');
      }
      case MAP -> {
        Map<String, Object> sorted = new TreeMap<>();
        ((Map<?, ?>) v).forEach((k, x) -> sorted.put(k.toString(), x));
        String comma = "";
        b.append('{');
        for (Map.Entry<String, Object> e : sorted.entrySet()) {
          b.append(comma);
          comma = ",";
          Json.string(b, e.getKey());
          b.append(':');
          datum(b, e.getValue(), s.getValueType());
        }
        b.append('}');
      }
      case RECORD -> {
        String comma = "";
        b.append('{');
        for (Schema.Field f : s.getFields()) {
          b.append(comma);
          comma = ",";
          Json.string(b, f.name());
          b.append(':');
          datum(b, ((IndexedRecord) v).get(f.pos()), f.schema());
        }
        b.append('}');
      }
      case UNION -> {
        if (v == null) {
          b.append("null");
          return;
        }
        Schema branch = s.getTypes().get(GenericData.get().resolveUnion(s, v));
        b.append('{');
        Json.string(b, branch.getFullName());
        b.append(':');
        datum(b, v, branch);
        b.append('}');
      }
      default -> throw new IllegalStateException("no text for " + s.getType());
    }
  }
}
