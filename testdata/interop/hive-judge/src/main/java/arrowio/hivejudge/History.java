package arrowio.hivejudge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.io.RecordUpdater;

/**
 * A table with a random history, in DIR/table, and what Hive reads in it: DIR/latest.jsonl, older.jsonl and partly.jsonl, each
 * with a line that tells the list of write ids and then a line for each row, its id in front; DIR/refused.jsonl has a list that
 * Hive refuses, where one was met. DIR/history.txt tells what was done.
 */
final class History {
  private static final Pattern REFUSED = Pattern.compile("Not enough history .*/base_([0-9]+)$");

  private final Path dir;
  private final Random r;
  private final Table table;
  private final Compactor compactor;
  private final List<String> log = new ArrayList<>();

  private long next = 1; // write id
  private final SortedSet<Long> open = new TreeSet<>();
  private final SortedSet<Long> aborted = new TreeSet<>();
  private final Set<Long> overwrites = new HashSet<>();
  private long settled; // write ids up to it can no longer be told apart: older directories were cleaned away
  private List<WriteIds> snapshots = new ArrayList<>(); // that can still be read
  private int id; // in rows
  private final List<RecordUpdater> unfinished = new ArrayList<>(); // lest they are closed meanwhile

  History(Path dir, long seed) throws IOException {
    this.dir = dir;
    r = new Random(seed);
    int buckets = 1 + r.nextInt(3);
    table =
        new Table(
            dir.resolve("table"),
            "id,s,n,d",
            "bigint:string:struct<a:int,b:array<struct<k:string,v:double>>,m:map<string,bigint>>:decimal(12,3)",
            buckets,
            r.nextInt(4) > 0);
    compactor = new Compactor(table);
    say("seed " + seed + ", buckets " + buckets);
  }

  private void say(String s) {
    log.add(s);
  }

  void run() throws IOException {
    try {
      if (r.nextInt(4) == 0) {
        originals("");
      }
      for (int i = 4 + r.nextInt(12); i > 0; i--) {
        step();
        snapshots.add(now());
      }
      if (r.nextInt(5) == 0) {
        stream(false);
      }
      expect();
    } finally {
      Files.write(dir.resolve("history.txt"), log);
    }
  }

  /** The list of write ids that a reader gets who comes now. */
  private WriteIds now() {
    return new WriteIds(next - 1, open, aborted);
  }

  private void step() throws IOException {
    if (!open.isEmpty() && r.nextInt(3) == 0) {
      long w = open.first();
      open.remove(w);
      settle(w, r.nextInt(3) > 0, "later ");
    }
    int k = r.nextInt(100);
    if (next == 1 || k < 24) {
      transaction(1, false);
    } else if (k < 52) {
      transaction(1, true);
    } else if (k < 64) {
      transaction(2 + r.nextInt(3), r.nextBoolean());
    } else if (k < 71) {
      overwrite();
    } else if (k < 78) {
      stream(true);
    } else if (k < 82) {
      load();
    } else {
      compact(k >= 92);
    }
  }

  private void settle(long w, boolean commit, String when) {
    if (!commit) {
      aborted.add(w);
    }
    say(w + " " + when + (commit ? "committed" : "aborted"));
  }

  /** Statements under one write id, which is then committed, aborted, or stays open for a while. */
  private void transaction(int statements, boolean mutate) throws IOException {
    long w = next++;
    for (int s = 0; s < statements; s++) {
      if (mutate || statements > 1 && r.nextBoolean()) {
        mutate(w, s, new WriteIds(w, open, aborted));
      } else {
        insert(w, s, false, r.nextInt(40));
      }
    }
    end(w);
  }

  private void end(long w) {
    int k = r.nextInt(10);
    if (k == 0 && open.size() < 2) {
      open.add(w);
      say(w + " is open");
    } else {
      settle(w, k > 1, "");
    }
  }

  private void insert(long w, int statement, boolean base, int n) throws IOException {
    Map<Integer, List<List<Object>>> by = new TreeMap<>();
    for (int i = 0; i < n; i++) {
      by.computeIfAbsent(r.nextInt(table.buckets), k -> new ArrayList<>()).add(row());
    }
    say(w + (base ? " overwrites, " : " inserts, statement " + statement + ", ") + n + " rows into buckets " + by.keySet());
    for (Map.Entry<Integer, List<List<Object>>> e : by.entrySet()) {
      RecordUpdater u = table.updater(e.getKey(), w, w, statement, base, false);
      for (List<Object> x : e.getValue()) {
        u.insert(w, x);
      }
      u.close(false);
    }
  }

  /** Updates and deletes some of the rows that a list shows, in the order of their ids, as Hive does. */
  private void mutate(long w, int statement, WriteIds seen) throws IOException {
    double update = r.nextInt(3) * 0.12;
    double delete = r.nextInt(20) == 0 ? 1 : 0.02 + r.nextInt(3) * 0.1;
    Map<Integer, List<Table.Row>> by = new TreeMap<>();
    for (Table.Row x : table.read(seen)) {
      by.computeIfAbsent(x.number(), k -> new ArrayList<>()).add(x);
    }
    int updates = 0;
    int deletes = 0;
    for (Map.Entry<Integer, List<Table.Row>> e : by.entrySet()) {
      RecordUpdater u = null;
      for (Table.Row x : e.getValue()) {
        double k = r.nextDouble();
        if (k >= update + delete) {
          continue;
        }
        u = u != null ? u : table.updater(e.getKey(), w, w, statement, false, true);
        if (k < update) {
          u.update(w, Table.withId(row(), x));
          updates++;
        } else {
          u.delete(w, Table.withId(row(), x));
          deletes++;
        }
      }
      if (u != null) {
        u.close(false);
      }
    }
    say(w + " changes, statement " + statement + ", " + updates + " rows, deletes " + deletes);
  }

  /** Locks the table, so that nothing else is open meanwhile. */
  private void overwrite() throws IOException {
    if (!open.isEmpty()) {
      return;
    }
    long w = next++;
    insert(w, 0, true, 1 + r.nextInt(30));
    overwrites.add(w);
    settle(w, true, "");
  }

  /** Transactions of a streaming writer, in one delta; the last is cut short where it is not to be finished. */
  private void stream(boolean finish) throws IOException {
    long first = next;
    long last = first + 1 + r.nextInt(4);
    next = last + 1;
    int bucket = r.nextInt(table.buckets);
    RecordUpdater u = table.updater(bucket, first, last, -1, false, false);
    say("streaming into bucket " + bucket + ", write ids " + first + " to " + last);
    for (long w = first; w <= last; w++) {
      int n = r.nextInt(8);
      for (int i = 0; i < n; i++) {
        u.insert(w, row());
      }
      u.flush();
      if (w == last && !finish) {
        open.add(w);
        u.insert(w, row());
        unfinished.add(u);
        say(w + " is open and has " + n + " rows");
        return;
      }
      settle(w, r.nextInt(4) > 0, "with " + n + " rows ");
    }
    u.close(false);
  }

  /** LOAD DATA: files of a table that is not transactional, in a delta. */
  private void load() throws IOException {
    long w = next++;
    originals(String.format("delta_%07d_%07d_0000/", w, w));
    end(w);
  }

  private void originals(String where) throws IOException {
    for (int b = 0; b < table.buckets; b++) {
      for (int copy = 0; copy < 1 + r.nextInt(3); copy++) {
        List<List<Object>> rows = new ArrayList<>();
        for (int i = r.nextInt(25); i > 0; i--) {
          rows.add(row());
        }
        String name = where + String.format("%06d_0", b) + (copy > 0 ? "_copy_" + copy : "");
        table.writePlain(name, rows);
        say(name + " has " + rows.size() + " rows");
      }
    }
  }

  private void compact(boolean major) throws IOException {
    WriteIds ids = new WriteIds(open.isEmpty() ? next - 1 : open.first() - 1, Collections.emptySortedSet(), aborted);
    String made = compactor.run(major, ids);
    say((major ? "major" : "minor") + " compaction up to " + ids.high() + " makes " + made);
    if (made != null && r.nextInt(5) < 2) {
      say("cleaning removes " + compactor.clean(ids) + " directories");
      settled = ids.high();
      snapshots = new ArrayList<>();
    }
  }

  // ---- what Hive sees

  private void expect() throws IOException {
    if (!write("latest", now())) {
      throw new IOException("Hive refuses the latest list");
    }
    int tries = 0;
    while (!write("older", older())) {
      if (++tries == 20) {
        write("older", now());
        break;
      }
    }
    tries = 0;
    while (!write("partly", partly())) {
      if (++tries == 20) {
        write("partly", now());
        break;
      }
    }
  }

  /** A list that was the latest once, or has an older highest id. */
  private WriteIds older() {
    return snapshots.isEmpty() || r.nextBoolean()
        ? new WriteIds(settled + (long) (r.nextDouble() * (next - settled)), open, aborted)
        : snapshots.get(r.nextInt(snapshots.size()));
  }

  /** A list in which more is open or was aborted. */
  private WriteIds partly() {
    SortedSet<Long> o = new TreeSet<>(open);
    SortedSet<Long> a = new TreeSet<>(aborted);
    for (long w = settled + 1; w < next; w++) {
      int k = r.nextInt(5);
      if (k < 2 && !open.contains(w) && !aborted.contains(w) && !overwrites.contains(w)) {
        (k == 0 ? o : a).add(w);
      }
    }
    return new WriteIds(next - 1, o, a);
  }

  /**
   * Notes what a list shows; false where Hive refuses it. That is to be refused by others, too, if compaction is the cause:
   * Hive 3 says the same where an INSERT OVERWRITE is not valid, and Hive 4 no longer does.
   */
  private boolean write(String name, WriteIds ids) throws IOException {
    List<String> lines = new ArrayList<>();
    try {
      for (Table.Row x : table.read(ids)) {
        lines.add("[[" + x.write() + "," + x.bucket() + "," + x.row() + "]," + x.text().substring(1));
      }
    } catch (RuntimeException | IOException e) {
      Matcher m = REFUSED.matcher(String.valueOf(e.getMessage()));
      if (!m.find()) {
        throw e;
      }
      if (!overwrites.contains(Long.parseLong(m.group(1)))) {
        say("refused: " + ids.text());
        Files.write(dir.resolve("refused.jsonl"), List.of(ids.text()));
      }
      return false;
    }
    lines.add(0, ids.text());
    say(name + ": " + ids.text() + ", " + (lines.size() - 1) + " rows");
    Files.write(dir.resolve(name + ".jsonl"), lines);
    return true;
  }

  // ---- values

  private List<Object> row() {
    List<Object> list = new ArrayList<>();
    for (int i = r.nextInt(4); i > 0; i--) {
      list.add(List.of(text(), r.nextGaussian()));
    }
    Map<Object, Object> map = new TreeMap<>();
    if (r.nextBoolean()) {
      map.put(text(), r.nextLong());
    }
    List<Object> nested = new ArrayList<>();
    nested.add(r.nextInt(9) == 0 ? null : r.nextInt());
    nested.add(r.nextInt(9) == 0 ? null : list);
    nested.add(map);
    List<Object> row = new ArrayList<>();
    row.add((long) id++);
    row.add(r.nextInt(7) == 0 ? null : text());
    row.add(r.nextInt(11) == 0 ? null : nested);
    row.add(r.nextInt(11) == 0 ? null : HiveDecimal.create(java.math.BigDecimal.valueOf(r.nextInt(), r.nextInt(4))));
    return row;
  }

  private String text() {
    if (r.nextInt(3) == 0) {
      return "value " + r.nextInt(5);
    }
    StringBuilder b = new StringBuilder();
    for (int i = r.nextInt(20); i > 0; i--) {
      b.append(r.nextInt(12) == 0 ? (char) (0x4e00 + r.nextInt(400)) : (char) (' ' + r.nextInt(95)));
    }
    return b.toString();
  }
}
