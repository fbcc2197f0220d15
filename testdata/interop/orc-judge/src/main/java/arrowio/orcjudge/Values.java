package arrowio.orcjudge;

import java.math.BigInteger;
import java.util.List;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DateColumnVector;
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
import org.apache.orc.TypeDescription;

/**
 * Fills batches. A field named a__PROFILE__NULLS has values of that profile and nulls by that pattern; what lies below it
 * and is not named so has the same.
 */
final class Values {
  static final String[] NULLS = {"none", "all", "alternate", "first", "last", "runs", "lone", "r10", "r50", "r99"};

  private final TypeDescription schema;
  private final Profiles.State[] columns;
  private final String zone;
  private final long rows;
  private final long stripeRows;

  /** Values for a file of so many rows, for patterns of nulls that follow from it. */
  Values(TypeDescription schema, long seed, String zone, long rows, long stripeRows) {
    this.schema = schema;
    this.zone = zone;
    this.rows = rows;
    this.stripeRows = stripeRows;
    columns = new Profiles.State[schema.getMaximumId() + 1];
    assign(schema, seed, "mix", "none");
  }

  private void assign(TypeDescription t, long seed, String profile, String nulls) {
    columns[t.getId()] = new Profiles.State(seed * 1000003L + t.getId(), profile, nulls);
    List<TypeDescription> children = t.getChildren();
    if (children == null) {
      return;
    }
    List<String> names = t.getCategory() == TypeDescription.Category.STRUCT ? t.getFieldNames() : null;
    for (int i = 0; i < children.size(); i++) {
      String p = profile;
      String n = nulls;
      if (names != null) {
        String[] part = names.get(i).split("__");
        p = part.length > 1 ? part[1] : p;
        n = part.length > 2 ? part[2] : n;
      }
      // Arrow forbids null keys in maps: only who asks for them gets them.
      if (t.getCategory() == TypeDescription.Category.MAP && i == 0 && !profile.equals("nullkeys")) {
        n = "none";
      }
      assign(children.get(i), seed, p, n);
    }
  }

  private boolean isNull(Profiles.State c) {
    long k = c.slots++;
    return switch (c.nulls) {
      case "none" -> false;
      case "all" -> true;
      case "alternate" -> (k & 1) == 1;
      case "first" -> k < rows / 2;
      case "last" -> k >= rows / 2;
      case "runs" -> k / 37 % 3 == 1;
      case "lone" -> k == rows * 3 / 5;
      case "stripe2" -> k >= stripeRows && k < 2 * stripeRows;
      case "r10" -> c.r.nextInt(10) == 0;
      case "r50" -> c.r.nextInt(2) == 0;
      case "r99" -> c.r.nextInt(100) != 0;
      default -> throw new IllegalArgumentException(c.nulls);
    };
  }

  /** Fills row i of a batch of the schema. */
  void fill(VectorizedRowBatch batch, int i) {
    if (schema.getCategory() != TypeDescription.Category.STRUCT) {
      fill(batch.cols[0], schema, i);
      return;
    }
    for (int k = 0; k < batch.cols.length; k++) {
      fill(batch.cols[k], schema.getChildren().get(k), i);
    }
  }

  private void fill(ColumnVector v, TypeDescription t, int i) {
    Profiles.State c = columns[t.getId()];
    if (isNull(c)) {
      setNull(v, i);
      return;
    }
    switch (t.getCategory()) {
      case BOOLEAN -> ((LongColumnVector) v).vector[i] = Profiles.bool(c) ? 1 : 0;
      case BYTE -> ((LongColumnVector) v).vector[i] = Profiles.integer(c, 8);
      case SHORT -> ((LongColumnVector) v).vector[i] = Profiles.integer(c, 16);
      case INT -> ((LongColumnVector) v).vector[i] = Profiles.integer(c, 32);
      case LONG -> ((LongColumnVector) v).vector[i] = Profiles.integer(c, 64);
      case DATE -> ((LongColumnVector) v).vector[i] = Profiles.date(c);
      case FLOAT -> ((DoubleColumnVector) v).vector[i] = (float) Profiles.floating(c, true);
      case DOUBLE -> ((DoubleColumnVector) v).vector[i] = Profiles.floating(c, false);
      case STRING, VARCHAR, CHAR -> ((BytesColumnVector) v).setVal(i, Profiles.text(c));
      case BINARY -> ((BytesColumnVector) v).setVal(i, Profiles.binary(c));
      case Geometry, Geography -> ((BytesColumnVector) v).setVal(i, Profiles.point(c));
      case TIMESTAMP, TIMESTAMP_INSTANT -> {
        long[] x = Profiles.timestamp(c, zone);
        TimestampColumnVector ts = (TimestampColumnVector) v;
        ts.time[i] = x[0] * 1000 + x[1] / 1_000_000;
        ts.nanos[i] = (int) x[1];
      }
      case DECIMAL -> {
        BigInteger u = Profiles.unscaled(c, t.getPrecision());
        if (v instanceof Decimal64ColumnVector d) {
          d.vector[i] = u.longValueExact();
        } else {
          ((DecimalColumnVector) v).set(i, HiveDecimal.create(u, t.getScale()));
        }
      }
      case STRUCT -> {
        ColumnVector[] fields = ((StructColumnVector) v).fields;
        for (int k = 0; k < fields.length; k++) {
          fill(fields[k], t.getChildren().get(k), i);
        }
      }
      case UNION -> {
        UnionColumnVector u = (UnionColumnVector) v;
        u.tags[i] = Profiles.tag(c, u.fields.length);
        for (int k = 0; k < u.fields.length; k++) {
          if (k == u.tags[i]) {
            fill(u.fields[k], t.getChildren().get(k), i);
          } else {
            u.fields[k].noNulls = false;
            u.fields[k].isNull[i] = true;
          }
        }
      }
      case LIST -> {
        ListColumnVector l = (ListColumnVector) v;
        int at = l.childCount;
        l.offsets[i] = at;
        l.lengths[i] = Profiles.length(c);
        l.childCount += (int) l.lengths[i];
        l.child.ensureSize(l.childCount, true);
        for (int k = at; k < l.childCount; k++) {
          fill(l.child, t.getChildren().get(0), k);
        }
      }
      case MAP -> {
        MapColumnVector m = (MapColumnVector) v;
        int at = m.childCount;
        m.offsets[i] = at;
        m.lengths[i] = Profiles.length(c);
        m.childCount += (int) m.lengths[i];
        m.keys.ensureSize(m.childCount, true);
        m.values.ensureSize(m.childCount, true);
        for (int k = at; k < m.childCount; k++) {
          fill(m.keys, t.getChildren().get(0), k);
          fill(m.values, t.getChildren().get(1), k);
        }
      }
      default -> throw new IllegalArgumentException(t.toString());
    }
  }

  private static void setNull(ColumnVector v, int i) {
    v.noNulls = false;
    v.isNull[i] = true;
    if (v instanceof ListColumnVector l) {
      l.offsets[i] = l.childCount;
      l.lengths[i] = 0;
    } else if (v instanceof MapColumnVector m) {
      m.offsets[i] = m.childCount;
      m.lengths[i] = 0;
    } else if (v instanceof StructColumnVector s) {
      // the children have a slot here, which holds nothing
      for (ColumnVector f : s.fields) {
        f.noNulls = false;
        f.isNull[i] = true;
      }
    }
  }

  /** Says in which calendar the times and days of a batch are, which the writer asks of each vector. */
  static void calendar(ColumnVector[] vs, boolean proleptic) {
    for (ColumnVector v : vs) {
      if (v instanceof TimestampColumnVector t) {
        t.changeCalendar(proleptic, false);
      } else if (v instanceof DateColumnVector d) {
        d.changeCalendar(proleptic, false);
      } else if (v instanceof StructColumnVector s) {
        calendar(s.fields, proleptic);
      } else if (v instanceof UnionColumnVector u) {
        calendar(u.fields, proleptic);
      } else if (v instanceof ListColumnVector l) {
        calendar(new ColumnVector[] {l.child}, proleptic);
      } else if (v instanceof MapColumnVector m) {
        calendar(new ColumnVector[] {m.keys, m.values}, proleptic);
      }
    }
  }
}
