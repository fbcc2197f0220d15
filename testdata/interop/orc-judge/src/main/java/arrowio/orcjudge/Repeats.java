package arrowio.orcjudge;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MultiValuedColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.UnionColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;

/** Has vectors of filled batches repeat their first value, null or not, as programs that copy batches do. */
final class Repeats {
  private final Random r;

  Repeats(long seed) {
    r = new Random(seed);
  }

  /** Returns how many rows the next batch has. */
  int rows(int most) {
    return 1 + r.nextInt(most);
  }

  void apply(VectorizedRowBatch b, TypeDescription schema) {
    for (int k = 0; k < b.cols.length; k++) {
      apply(b.cols[k], schema.getCategory() == TypeDescription.Category.STRUCT ? schema.getChildren().get(k) : schema, false);
    }
  }

  /** Of two vectors in three one repeats; of the others some may have nulls and have none. The first slot has to be filled. */
  private void apply(ColumnVector v, TypeDescription t, boolean must) {
    int how = must ? 2 + r.nextInt(4) : r.nextInt(6);
    v.isRepeating = how > 1;
    if (how == 1 || how == 2) {
      v.noNulls = false;
    } else if (how == 3 && !v.isNull[0]) {
      Arrays.fill(v.isNull, false);
      v.noNulls = true;
    }
    if (v.isNull[0] && !v.noNulls) {
      return; // what lies below may not be filled
    }
    List<TypeDescription> below = t.getChildren();
    if (v instanceof StructColumnVector s) {
      for (int i = 0; i < s.fields.length; i++) {
        apply(s.fields[i], below.get(i), s.isRepeating);
      }
    } else if (v instanceof UnionColumnVector u) {
      apply(u.fields[u.tags[0]], below.get(u.tags[0]), u.isRepeating);
    } else if (v instanceof MultiValuedColumnVector m) {
      // Of an empty list that repeats, the writer counts an element that repeats, though it writes none.
      if (m.childCount == 0 || m.isRepeating && m.lengths[0] == 0) {
        return;
      }
      if (m instanceof ListColumnVector l) {
        apply(l.child, below.get(0), false);
      } else if (m instanceof MapColumnVector x) {
        apply(x.keys, below.get(0), false);
        apply(x.values, below.get(1), false);
      }
    }
  }
}
