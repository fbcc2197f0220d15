package arrowio.sparkjudge;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;
import scala.jdk.javaapi.CollectionConverters;

/** Rows of Spark as text: that of orc-judge, with uuids as their bytes. */
final class Text {
  private Text() {}

  /** Appends a row, with so many longs more than the type has. */
  static void struct(StringBuilder b, Row row, Types.StructType type, int more) {
    List<Types.NestedField> fields = type.fields();
    char before = '[';
    for (int i = 0; i < fields.size() + more; i++) {
      b.append(before);
      put(b, row.get(i), i < fields.size() ? fields.get(i).type() : Types.LongType.get());
      before = ',';
    }
    b.append(before == '[' ? "[]" : "]");
  }

  private static void hex(StringBuilder b, byte[] bytes) {
    b.append('"').append(HexFormat.of().formatHex(bytes)).append('"');
  }

  private static void string(StringBuilder b, String s) {
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
      case TIMESTAMP -> {
        LocalDateTime at = o instanceof Instant x ? LocalDateTime.ofInstant(x, ZoneOffset.UTC) : (LocalDateTime) o;
        b.append('[').append(at.toEpochSecond(ZoneOffset.UTC)).append(',').append(at.getNano()).append(']');
      }
      case STRING -> string(b, (String) o);
      case UUID -> hex(b, HexFormat.of().parseHex(o.toString().replace("-", "")));
      case FIXED, BINARY -> hex(b, (byte[]) o);
      case DECIMAL -> b.append('"').append(((BigDecimal) o).toPlainString()).append('"');
      case LIST -> {
        char before = '[';
        for (Object x : CollectionConverters.asJava((scala.collection.Seq<?>) o)) {
          b.append(before);
          put(b, x, t.asListType().elementType());
          before = ',';
        }
        b.append(before == '[' ? "[]" : "]");
      }
      case MAP -> {
        char before = '[';
        for (Map.Entry<?, ?> e : CollectionConverters.asJava((scala.collection.Map<?, ?>) o).entrySet()) {
          b.append(before).append('[');
          put(b, e.getKey(), t.asMapType().keyType());
          b.append(',');
          put(b, e.getValue(), t.asMapType().valueType());
          b.append(']');
          before = ',';
        }
        b.append(before == '[' ? "[]" : "]");
      }
      case STRUCT -> struct(b, (Row) o, t.asStructType(), 0);
      default -> throw new IllegalArgumentException(t.toString());
    }
  }
}
