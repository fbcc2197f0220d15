package arrowio.orcjudge;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;

/** A search argument on one column, and what it means for a value. */
final class Question {
  enum Kind { EQUALS, LESS, LESS_EQUAL, BETWEEN, IN, NULL_SAFE, NULL }

  private final String column;
  private final PredicateLeaf.Type type;
  private final Kind kind;
  private final boolean not;
  private final List<Comparable<?>> values;
  private final Object[] literals;

  /** literals are the values as search arguments have them. */
  Question(
      String column, PredicateLeaf.Type type, Kind kind, boolean not, List<Comparable<?>> values, Object[] literals) {
    this.column = column;
    this.type = type;
    this.kind = kind;
    this.not = not;
    this.values = values;
    this.literals = literals;
  }

  SearchArgument argument() {
    SearchArgument.Builder b = SearchArgumentFactory.newBuilder().startAnd();
    if (not) {
      b.startNot();
    }
    switch (kind) {
      case EQUALS -> b.equals(column, type, literals[0]);
      case LESS -> b.lessThan(column, type, literals[0]);
      case LESS_EQUAL -> b.lessThanEquals(column, type, literals[0]);
      case BETWEEN -> b.between(column, type, literals[0], literals[1]);
      case IN -> b.in(column, type, literals[0], literals[1]);
      case NULL_SAFE -> b.nullSafeEquals(column, type, literals[0]);
      case NULL -> b.isNull(column, type);
    }
    if (not) {
      b.end();
    }
    return b.end().build();
  }

  /** Whether a row with this value, null where it has none, is asked for. */
  boolean test(Comparable<?> v) {
    if (kind == Kind.NULL) {
      return (v == null) != not;
    }
    if (v == null) {
      return kind == Kind.NULL_SAFE && not;
    }
    boolean yes = switch (kind) {
      case EQUALS, NULL_SAFE -> compare(v, 0) == 0;
      case LESS -> compare(v, 0) < 0;
      case LESS_EQUAL -> compare(v, 0) <= 0;
      case BETWEEN -> compare(v, 0) >= 0 && compare(v, 1) <= 0;
      case IN -> compare(v, 0) == 0 || compare(v, 1) == 0;
      case NULL -> false;
    };
    return yes != not;
  }

  @SuppressWarnings("unchecked")
  private int compare(Comparable<?> v, int k) {
    return ((Comparable<Object>) v).compareTo(values.get(k));
  }

  @Override
  public String toString() {
    return (not ? "NOT " : "") + kind + Arrays.toString(literals);
  }
}
