package arrowio.kudujudge;

import java.util.Locale;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.ColumnSchema.CompressionAlgorithm;
import org.apache.kudu.ColumnSchema.Encoding;
import org.apache.kudu.ColumnTypeAttributes.ColumnTypeAttributesBuilder;
import org.apache.kudu.Type;

/** A column of a table, and which values it gets. */
final class Column {
  String name;
  final Type type;
  boolean key;
  Encoding encoding = Encoding.AUTO_ENCODING;
  CompressionAlgorithm codec = CompressionAlgorithm.DEFAULT_COMPRESSION;
  String values = "random";
  String nulls;
  int precision;
  int scale;
  int length;
  private int block;
  private Object initial;
  private boolean immutable;
  private String comment = "";

  Column(String name, Type type) {
    this.name = name;
    this.type = type;
    length = type == Type.VARCHAR ? 12 : 0;
    precision = type == Type.DECIMAL ? 18 : 0;
  }

  Column key() {
    key = true;
    return this;
  }

  Column encoding(Encoding e) {
    encoding = e;
    return this;
  }

  Column codec(CompressionAlgorithm c) {
    codec = c;
    return this;
  }

  Column values(String pattern) {
    values = pattern;
    return this;
  }

  /** Makes the column nullable. */
  Column nulls(String pattern) {
    nulls = pattern;
    return this;
  }

  Column decimal(int digits, int behindPoint) {
    precision = digits;
    scale = behindPoint;
    return this;
  }

  Column block(int bytes) {
    block = bytes;
    return this;
  }

  /** What rows get that do not set the column, among them those written before it was added. */
  Column initial(Object value) {
    initial = value;
    return this;
  }

  Column immutable() {
    immutable = true;
    return this;
  }

  Column comment(String text) {
    comment = text;
    return this;
  }

  ColumnSchema schema() {
    ColumnSchemaBuilder b = new ColumnSchemaBuilder(name, type).key(key).nullable(nulls != null)
        .encoding(encoding).compressionAlgorithm(codec).desiredBlockSize(block).immutable(immutable).comment(comment);
    if (initial != null) {
      b.defaultValue(initial);
    }
    if (type == Type.DECIMAL) {
      b.typeAttributes(new ColumnTypeAttributesBuilder().precision(precision).scale(scale).build());
    }
    if (type == Type.VARCHAR) {
      b.typeAttributes(new ColumnTypeAttributesBuilder().length(length).build());
    }
    return b.build();
  }

  /** The name of an encoding or codec in the names of fixtures. */
  static String word(Enum<?> e) {
    return switch (e.name()) {
      case "NO_COMPRESSION" -> "none";
      default -> e.name().toLowerCase(Locale.ROOT).replace("_encoding", "").replace("_", "");
    };
  }
}
