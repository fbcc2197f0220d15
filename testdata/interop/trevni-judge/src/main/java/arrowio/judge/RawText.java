package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.ColumnMetaData;
import org.apache.trevni.ColumnValues;
import org.apache.trevni.MetaData;

/**
 * A Trevni file as the Java column reader sees it: a line that describes the file, then a JSON array a row with an
 * entry for each column in file order. A column below d array columns, itself counted, is a list nested d deep, so a
 * child repeats the list structure of its parents.
 */
final class RawText {
  private RawText() {}

  /** One column: its values, its children, and the text of its entry of the row at hand. */
  private static final class Column {
    final ColumnMetaData meta;
    final ColumnValues<?> values;
    final List<Column> children = new ArrayList<>();
    final List<Column> subtree = new ArrayList<>();
    final StringBuilder entry = new StringBuilder();

    Column(ColumnFileReader in, ColumnMetaData meta, Column[] byNumber) throws IOException {
      this.meta = meta;
      values = in.getValues(meta.getNumber());
      byNumber[meta.getNumber()] = this;
      subtree.add(this);
      for (ColumnMetaData child : meta.getChildren()) {
        Column c = new Column(in, child, byNumber);
        children.add(c);
        subtree.addAll(c.subtree);
      }
    }

    /** Prints what belongs to one entry of the parent (or to the row) for this column and everything below it. */
    void print() throws IOException {
      if (!meta.isArray()) {
        value(entry, meta, values.nextValue());
        return;
      }
      int length = values.nextLength();
      open('[');
      for (int i = 0; i < length; i++) {
        if (i > 0) {
          open(',');
        }
        value(entry, meta, values.nextValue());
        for (Column c : children) {
          c.print();
        }
      }
      open(']');
    }

    private void open(char c) {
      for (Column s : subtree) {
        s.entry.append(c);
      }
    }
  }

  static void print(File f, LineSink out) throws IOException {
    try (ColumnFileReader in = new ColumnFileReader(f)) {
      out.line(header(in));
      Column[] columns = new Column[Math.toIntExact(in.getColumnCount())];
      List<Column> roots = new ArrayList<>();
      for (ColumnMetaData root : in.getRoots()) {
        roots.add(new Column(in, root, columns));
      }
      StringBuilder row = new StringBuilder();
      for (long r = 0; r < in.getRowCount(); r++) {
        for (Column c : columns) {
          c.values.startRow();
          c.entry.setLength(0);
        }
        for (Column c : roots) {
          c.print();
        }
        row.setLength(0);
        row.append('[');
        for (int i = 0; i < columns.length; i++) {
          if (i > 0) {
            row.append(',');
          }
          row.append(columns[i].entry);
        }
        out.line(row.append(']'));
      }
      for (Column c : columns) {
        if (c.values.hasNext()) {
          throw new IOException("column " + c.meta.getName() + " has more rows than the file says");
        }
      }
    }
  }

  private static String header(ColumnFileReader in) {
    StringBuilder b = new StringBuilder("{\"trevni\":{\"rows\":").append(in.getRowCount()).append(",\"meta\":");
    meta(b, new TreeMap<>(in.getMetaData()));
    b.append(",\"columns\":[");
    String comma = "";
    for (ColumnMetaData c : in.getColumnMetaData()) {
      b.append(comma).append("{\"name\":");
      comma = ",";
      Json.string(b, c.getName());
      b.append(",\"type\":\"").append(c.getType().getName()).append('"');
      if (c.isArray()) {
        b.append(",\"array\":true");
      }
      if (c.getParent() != null) {
        b.append(",\"parent\":");
        Json.string(b, c.getParent().getName());
      }
      if (c.hasIndexValues()) {
        b.append(",\"values\":true");
      }
      b.append(",\"codec\":\"").append(orNull(c.getCodec()));
      b.append("\",\"checksum\":\"").append(orNull(c.getChecksum())).append('"');
      SortedMap<String, byte[]> own = new TreeMap<>(c);
      own.keySet().removeIf(MetaData::isReserved);
      if (!own.isEmpty()) {
        b.append(",\"meta\":");
        meta(b, own);
      }
      b.append('}');
    }
    return b.append("]}}").toString();
  }

  private static String orNull(String name) {
    return name == null ? "null" : name;
  }

  private static void meta(StringBuilder b, SortedMap<String, byte[]> m) {
    String comma = "{";
    if (m.isEmpty()) {
      b.append('{');
    }
    for (Map.Entry<String, byte[]> e : m.entrySet()) {
      b.append(comma);
      comma = ",";
      Json.string(b, e.getKey());
      b.append(':');
      Json.metaValue(b, e.getValue());
    }
    b.append('}');
  }

  private static void value(StringBuilder b, ColumnMetaData c, Object v) {
    switch (c.getType()) {
      case NULL, BOOLEAN, INT, LONG, FIXED32, FIXED64 -> b.append(v);
      case FLOAT -> Json.floatBits(b, (Float) v);
      case DOUBLE -> Json.doubleBits(b, (Double) v);
      case STRING -> Json.string(b, (String) v);
      case BYTES -> Json.bytes(b, (ByteBuffer) v);
      default -> throw new IllegalStateException("no text for " + c.getType());
    }
  }
}
