package arrowio.hivejudge;

import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A list of write ids: all up to the highest are valid but those that are open or were aborted. */
record WriteIds(long high, SortedSet<Long> open, SortedSet<Long> aborted) {
  static final WriteIds ALL = new WriteIds(Long.MAX_VALUE, new TreeSet<>(), new TreeSet<>());

  WriteIds {
    open = new TreeSet<>(open.headSet(high == Long.MAX_VALUE ? high : high + 1));
    aborted = new TreeSet<>(aborted.headSet(high == Long.MAX_VALUE ? high : high + 1));
  }

  boolean valid(long id) {
    return id <= high && !open.contains(id) && !aborted.contains(id);
  }

  /** As Hive writes it into a job. */
  String hive() {
    long oldest = open.isEmpty() ? Long.MAX_VALUE : open.first();
    return "default.t:" + high + ":" + oldest + ":" + join(open) + ":" + join(aborted);
  }

  /** As arrowio reads it. */
  String text() {
    return high + ":" + join(open) + ":" + join(aborted);
  }

  private static String join(SortedSet<Long> ids) {
    return ids.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
