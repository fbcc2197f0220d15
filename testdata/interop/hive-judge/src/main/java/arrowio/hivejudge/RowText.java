package arrowio.hivejudge;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.serde2.objectinspector.ListObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.MapObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.PrimitiveObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.StructField;
import org.apache.hadoop.hive.serde2.objectinspector.StructObjectInspector;
import org.apache.hadoop.hive.serde2.typeinfo.DecimalTypeInfo;

/** The canonical text of values, as object inspectors show them: see the README of the judges. */
final class RowText {
  private RowText() {}

  static void append(StringBuilder b, Object o, ObjectInspector inspector) {
    if (o == null) {
      b.append("null");
      return;
    }
    switch (inspector.getCategory()) {
      case PRIMITIVE -> primitive(b, o, (PrimitiveObjectInspector) inspector);
      case LIST -> {
        ListObjectInspector list = (ListObjectInspector) inspector;
        b.append('[');
        for (int i = 0; i < list.getListLength(o); i++) {
          comma(b, i);
          append(b, list.getListElement(o, i), list.getListElementObjectInspector());
        }
        b.append(']');
      }
      case MAP -> {
        MapObjectInspector map = (MapObjectInspector) inspector;
        b.append('[');
        int i = 0;
        for (Map.Entry<?, ?> e : map.getMap(o).entrySet()) {
          comma(b, i++);
          b.append('[');
          append(b, e.getKey(), map.getMapKeyObjectInspector());
          b.append(',');
          append(b, e.getValue(), map.getMapValueObjectInspector());
          b.append(']');
        }
        b.append(']');
      }
      case STRUCT -> {
        StructObjectInspector struct = (StructObjectInspector) inspector;
        List<? extends StructField> fields = struct.getAllStructFieldRefs();
        b.append('[');
        for (int i = 0; i < fields.size(); i++) {
          comma(b, i);
          append(b, struct.getStructFieldData(o, fields.get(i)), fields.get(i).getFieldObjectInspector());
        }
        b.append(']');
      }
      default -> throw new IllegalArgumentException(inspector.getTypeName());
    }
  }

  private static void comma(StringBuilder b, int i) {
    if (i > 0) {
      b.append(',');
    }
  }

  private static void primitive(StringBuilder b, Object o, PrimitiveObjectInspector inspector) {
    Object v = inspector.getPrimitiveJavaObject(o);
    switch (inspector.getPrimitiveCategory()) {
      case BOOLEAN, BYTE, SHORT, INT, LONG -> b.append(v);
      case FLOAT -> b.append(String.format("\"f%08x\"", Float.floatToRawIntBits((Float) v)));
      case DOUBLE -> b.append(String.format("\"d%016x\"", Double.doubleToRawLongBits((Double) v)));
      case STRING -> quote(b, (String) v);
      case VARCHAR, CHAR -> quote(b, v.toString());
      case BINARY -> b.append("\"").append(java.util.HexFormat.of().formatHex((byte[]) v)).append('"');
      case DATE -> b.append(((org.apache.hadoop.hive.common.type.Date) v).toEpochDay());
      case TIMESTAMP -> {
        org.apache.hadoop.hive.common.type.Timestamp t = (org.apache.hadoop.hive.common.type.Timestamp) v;
        b.append('[').append(t.toEpochSecond()).append(',').append(t.getNanos()).append(']');
      }
      case DECIMAL -> {
        int scale = ((DecimalTypeInfo) inspector.getTypeInfo()).getScale();
        b.append('"').append(((HiveDecimal) v).bigDecimalValue().setScale(scale).toPlainString()).append('"');
      }
      default -> throw new IllegalArgumentException(inspector.getTypeName());
    }
  }

  private static void quote(StringBuilder b, String s) {
    b.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        b.append('\\').append(c);
      } else if (c >= ' ' && c <= '~') {
        b.append(c);
      } else {
        b.append(String.format("\\u%04x", (int) c));
      }
    }
    b.append('"');
  }
}
