package arrowio.orcjudge;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;
import org.apache.orc.TypeDescription;

/** A column that search arguments can be about. It is named by its number, so that its name may be anything. */
final class Column {
  private final TypeDescription type;
  private final PredicateLeaf.Type leaf;
  private final int[] path; // fields of structs that lead there; null = it lies in a list, map or union

  private Column(TypeDescription type, PredicateLeaf.Type leaf, int[] path) {
    this.type = type;
    this.leaf = leaf;
    this.path = path;
  }

  /** Lists the columns; those alone that have one value a row, or all. */
  static List<Column> all(TypeDescription schema, boolean single) {
    List<Column> out = new ArrayList<>();
    collect(schema, new int[0], single, out);
    return out;
  }

  private static void collect(TypeDescription t, int[] path, boolean single, List<Column> out) {
    PredicateLeaf.Type leaf = leaf(t);
    if (leaf != null) {
      out.add(new Column(t, leaf, path));
    }
    List<TypeDescription> kids = t.getChildren();
    boolean struct = t.getCategory() == TypeDescription.Category.STRUCT;
    for (int k = 0; kids != null && k < kids.size(); k++) {
      if (struct && path != null) {
        int[] p = Arrays.copyOf(path, path.length + 1);
        p[path.length] = k;
        collect(kids.get(k), p, single, out);
      } else if (!single) {
        collect(kids.get(k), null, false, out);
      }
    }
  }

  private static PredicateLeaf.Type leaf(TypeDescription t) {
    return switch (t.getCategory()) {
      case BOOLEAN -> PredicateLeaf.Type.BOOLEAN;
      case BYTE, SHORT, INT, LONG -> PredicateLeaf.Type.LONG;
      case FLOAT, DOUBLE -> PredicateLeaf.Type.FLOAT;
      case STRING, CHAR, VARCHAR -> PredicateLeaf.Type.STRING;
      case DATE -> PredicateLeaf.Type.DATE;
      case TIMESTAMP, TIMESTAMP_INSTANT -> PredicateLeaf.Type.TIMESTAMP;
      case DECIMAL -> PredicateLeaf.Type.DECIMAL;
      default -> null;
    };
  }

  String name() {
    return String.valueOf(type.getId());
  }

  TypeDescription type() {
    return type;
  }

  /** A search argument that is true of every row. */
  SearchArgument anything() {
    return SearchArgumentFactory.newBuilder()
        .startOr().isNull(name(), leaf).startNot().isNull(name(), leaf).end().end().build();
  }

  /** The value of a row, null where there is none. */
  Comparable<?> value(VectorizedRowBatch batch, int row) {
    if (path.length == 0) {
      return value(batch.cols[0], row);
    }
    ColumnVector v = batch.cols[path[0]];
    for (int k = 1; k < path.length; k++) {
      int i = v.isRepeating ? 0 : row;
      if (!v.noNulls && v.isNull[i]) {
        return null;
      }
      v = ((StructColumnVector) v).fields[path[k]];
    }
    return value(v, row);
  }

  private Comparable<?> value(ColumnVector v, int row) {
    int i = v.isRepeating ? 0 : row;
    if (!v.noNulls && v.isNull[i]) {
      return null;
    }
    switch (leaf) {
      case BOOLEAN:
        return ((LongColumnVector) v).vector[i] != 0;
      case LONG:
        return ((LongColumnVector) v).vector[i];
      case FLOAT:
        return ((DoubleColumnVector) v).vector[i];
      case DATE:
        return LocalDate.ofEpochDay(((LongColumnVector) v).vector[i]);
      case DECIMAL:
        return ((DecimalColumnVector) v).vector[i].getHiveDecimal().bigDecimalValue();
      case TIMESTAMP: {
        TimestampColumnVector t = (TimestampColumnVector) v;
        Timestamp at = new Timestamp(t.time[i]);
        at.setNanos(t.nanos[i]);
        return at;
      }
      default: {
        BytesColumnVector b = (BytesColumnVector) v;
        String s = new String(b.vector[i], b.start[i], b.length[i], StandardCharsets.UTF_8);
        // Blanks at the end of a CHAR are stored, and count in its statistics and bloom filters.
        return type.getCategory() == TypeDescription.Category.CHAR ? padded(s) : s;
      }
    }
  }

  private String padded(String s) {
    return s + " ".repeat(Math.max(0, type.getMaxLength() - s.codePointCount(0, s.length())));
  }

  /** Makes up a question about values of the column, or others near them; null where there is none to make. */
  Question question(Random random, List<Comparable<?>> values) {
    Question.Kind[] kinds = Question.Kind.values();
    Question.Kind kind = kinds[random.nextInt(kinds.length)];
    boolean not = random.nextInt(3) == 0;
    if (kind == Question.Kind.NULL) {
      // What has no struct around it is null too, but statistics count only values that could be there.
      return path.length > 1 ? null : new Question(name(), leaf, kind, not, List.of(), new Object[0]);
    }
    Comparable<?> a = pick(random, values);
    Comparable<?> b = pick(random, values);
    if (a == null || b == null) {
      return null;
    }
    if (kind == Question.Kind.BETWEEN && compare(a, b) > 0) {
      Comparable<?> c = a;
      a = b;
      b = c;
    }
    return new Question(name(), leaf, kind, not, List.of(a, b), new Object[] {literal(a), literal(b)});
  }

  @SuppressWarnings("unchecked")
  private static int compare(Comparable<?> a, Comparable<?> b) {
    return ((Comparable<Object>) a).compareTo(b);
  }

  private Comparable<?> pick(Random random, List<Comparable<?>> values) {
    for (int i = 0; i < 10; i++) {
      Comparable<?> v = values.get(random.nextInt(values.size()));
      if (v == null) {
        continue;
      }
      if (random.nextInt(3) == 0) {
        v = near(random, v);
      }
      if (asked(v)) {
        return v;
      }
    }
    return null;
  }

  /** Whether Java's search arguments mean the value v by v. */
  private static boolean asked(Comparable<?> v) {
    if (v instanceof Double d) {
      return !d.isNaN() && d != 0; // which it compares as if they had an order; statistics do not
    }
    if (v instanceof String s) {
      return s.chars().allMatch(c -> c < Character.MIN_SURROGATE); // others are in no order of bytes
    }
    // A java.sql.Date is of the hybrid calendar.
    return !(v instanceof LocalDate d) || d.getYear() >= 1600 && d.getYear() < 10000;
  }

  /** A value close to v, which may or may not be there. */
  private Comparable<?> near(Random random, Comparable<?> v) {
    int by = random.nextInt(5) - 2;
    if (v instanceof Long x) {
      return x + by;
    } else if (v instanceof Double x) {
      return x + by / 4.0;
    } else if (v instanceof LocalDate x) {
      return x.plusDays(by);
    } else if (v instanceof BigDecimal x) {
      BigDecimal y = x.add(BigDecimal.valueOf(by, type.getScale()));
      return HiveDecimal.create(y) == null || y.precision() > 38 ? x : y;
    } else if (v instanceof Timestamp x) {
      Timestamp y = new Timestamp(x.getTime() + by);
      y.setNanos(y.getNanos() + random.nextInt(1000));
      return y;
    } else if (v instanceof String x && type.getCategory() != TypeDescription.Category.CHAR) {
      return by < 0 && x.length() > 0 ? x.substring(0, x.offsetByCodePoints(x.length(), -1)) : x + "0".repeat(Math.max(0, by));
    }
    return v;
  }

  private Object literal(Comparable<?> v) {
    if (v instanceof BigDecimal d) {
      return new HiveDecimalWritable(HiveDecimal.create(d));
    }
    return v instanceof LocalDate d ? Date.valueOf(d) : v;
  }
}
