package arrowio.kudujudge;

import static arrowio.kudujudge.Table.every;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kudu.ColumnSchema.CompressionAlgorithm;
import org.apache.kudu.ColumnSchema.Encoding;
import org.apache.kudu.Type;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.CreateTableOptions;

/** Tables of a tablet server with all that happens to rows in their lives, and what Kudu's client sees in them. */
final class Tables {
  private final Cluster cluster;
  private final Path out;
  private final int scale;
  private final boolean full;
  private final List<Table> tables = new ArrayList<>();

  /** full: every type in every encoding with every codec, and not only every type. */
  Tables(Cluster cluster, Path out, int scale, boolean full) {
    this.cluster = cluster;
    this.out = out;
    this.scale = scale;
    this.full = full;
  }

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  void write() throws IOException, InterruptedException {
    cluster.stopFlushing();
    rounds(List.of(merged()));
    cluster.compact(true, false, false);
    rounds(List.of(compacted()));
    cluster.compact(false, true, false);
    List<List<Step>> lives = new ArrayList<>(List.of(changed(), altered(), partitioned(), ended()));
    if (full) {
      lives.add(large());
      lives.add(types("required", false));
      lives.add(types("nullable", true));
    } else {
      lives.add(types());
    }
    rounds(lives);
    unflushed();
    expected();
    tombstone();
  }

  /** Runs the first steps of all, flushes, runs the second ones, and so on: a flush takes a while. */
  private void rounds(List<List<Step>> lives) throws IOException, InterruptedException {
    int longest = lives.stream().mapToInt(List::size).max().orElse(0);
    for (int k = 0; k < longest; k++) {
      for (List<Step> life : lives) {
        if (k < life.size()) {
          life.get(k).run();
        }
      }
      cluster.startFlushing();
      cluster.settle();
      cluster.stopFlushing();
      for (Table t : tables) {
        t.flushed();
      }
    }
  }

  private Table table(String name, List<Column> columns, CreateTableOptions options, Table.Keys keys) throws IOException {
    Table t = Table.create(cluster, name, columns, options, keys);
    tables.add(t);
    return t;
  }

  private Table table(String name, List<Column> columns) throws IOException {
    List<Column> all = new ArrayList<>(List.of(new Column("id", Type.INT32).key()));
    all.addAll(columns);
    return table(name, all, null, (i, c) -> i);
  }

  private static List<Column> usual() {
    return List.of(new Column("number", Type.INT64).nulls("some"), new Column("word", Type.STRING).values("small"),
        new Column("flag", Type.BOOL), new Column("amount", Type.DECIMAL).decimal(20, 4).nulls("alternate"));
  }

  private List<Step> changed() throws IOException {
    Table t = table("changed", usual());
    int n = 60 * scale;
    return List.of(
        () -> t.insert(0, n),
        () -> t.update(every(3, 0, n), 1, c -> c.name.equals("number")),
        () -> {
          t.delete(every(5, 0, n));
          t.update(every(7, 1, n).filter(i -> i % 5 != 0), 2, c -> !c.key);
        },
        () -> {
          // Rows that were deleted come back, in another rowset; others are changed before they are flushed.
          t.insert(every(10, 0, n), 3);
          t.insert(n, n + 20 * scale);
          t.update(every(4, n, n + 20 * scale), 4, c -> c.name.equals("word"));
        },
        () -> {
          t.upsert(every(6, 1, n + 30 * scale), 5);
          t.insertIgnore(every(9, 2, n), 6);
        });
  }

  /** Rowsets of interleaved keys become one, and history goes with them. */
  private List<Step> merged() throws IOException {
    Table t = table("merged", usual());
    int n = 80 * scale;
    List<Step> steps = new ArrayList<>();
    for (int k = 0; k < 4; k++) {
      int from = k;
      steps.add(() -> {
        t.insert(every(4, from, n), 0);
        if (from > 0) {
          t.update(every(12, from - 1, n), from, c -> c.name.equals("number"));
        }
      });
    }
    steps.add(() -> t.delete(every(20, 7, n)));
    steps.add(() -> t.insert(every(40, 7, n), 9));
    return steps;
  }

  /** Updates that a major compaction writes into new files of the columns they are of. */
  private List<Step> compacted() throws IOException {
    Table t = table("compacted", usual());
    int n = 50 * scale;
    return List.of(
        () -> t.insert(0, n),
        () -> t.update(every(1, 0, n), 1, c -> c.name.equals("number")),
        () -> t.update(every(2, 0, n), 2, c -> c.name.equals("number") || c.name.equals("flag")),
        () -> tables.get(0).update(every(11, 0, n).filter(i -> i % 20 != 7), 20, c -> c.name.equals("word")));
  }

  /** A schema that changes: columns come, with and without a default, go, and get other names. */
  private List<Step> altered() throws IOException {
    List<Column> before = new ArrayList<>(usual());
    before.add(new Column("gone", Type.INT16).nulls("some"));
    Table t = table("altered", before);
    int n = 40 * scale;
    Column added = new Column("added", Type.INT64).nulls("some");
    Column fixed = new Column("fixed", Type.STRING).values("small").initial("from the start");
    Column both = new Column("both", Type.INT32).nulls("some").initial(77);
    return List.of(
        () -> t.insert(0, n),
        () -> {
          t.alter(new AlterTableOptions().dropColumn("gone").renameColumn("number", "counter"), added, fixed, both);
          t.columns.removeIf(c -> c.name.equals("gone"));
          t.columns.get(1).name = "counter";
          t.insert(n, n + 10 * scale);
        },
        () -> t.update(every(3, 0, n + 10 * scale), 1, c -> Set.of("counter", "added", "fixed", "both").contains(c.name)),
        () -> {
          // The name is free again, for a column of another type; another default is for rows to come.
          t.alter(new AlterTableOptions().changeDefault("both", 78), new Column("gone", Type.STRING).nulls("some"));
          t.insert(every(1, n + 10 * scale, n + 15 * scale), 2, c -> !c.name.equals("both"));
        });
  }

  private List<Step> partitioned() throws IOException {
    List<Column> columns = new ArrayList<>(LoneFiles.composite());
    Table t = table("partitioned", columns, new CreateTableOptions().addHashPartitions(List.of("last"), 2).setRangePartitionColumns(List.of("i")),
        LoneFiles::compositeKey);
    return List.of(() -> t.insert(0, 80 * scale), () -> t.delete(every(3, 0, 80 * scale)));
  }

  /** A table without rows, and one of which all were deleted. */
  private List<Step> ended() throws IOException {
    table("empty", usual());
    Table t = table("deleted", usual());
    return List.of(() -> t.insert(0, 20), () -> t.delete(every(1, 0, 20)));
  }

  /** The server lets go of a tablet; what is left says that there was one. */
  private void tombstone() throws IOException, InterruptedException {
    Table t = Table.create(cluster, "tombstoned", List.of(new Column("id", Type.INT32).key()), null, (i, c) -> i);
    t.insert(0, 5);
    cluster.forget(t.name);
  }

  private List<Step> types() throws IOException {
    List<Column> columns = new ArrayList<>();
    for (Column c : LoneFiles.typed()) {
      columns.add(c.values("extreme").nulls("some"));
    }
    Table t = table("types", columns);
    return List.of(() -> t.insert(0, 40), () -> t.update(every(4, 0, 40), 1, c -> true));
  }

  private List<Step> types(String name, boolean nullable) throws IOException {
    List<Column> columns = new ArrayList<>();
    for (Column type : LoneFiles.typed()) {
      for (Encoding e : LoneFiles.encodings(type)) {
        for (CompressionAlgorithm codec : LoneFiles.CODECS) {
          columns.add(LoneFiles.variant(type, e, codec, columns.size(), nullable).block(columns.size() % 3 * 1024));
        }
      }
    }
    Table t = table(name, columns);
    int n = 150 * scale;
    return List.of(() -> t.insert(0, n), () -> t.update(every(5, 0, n), 1, c -> true), () -> t.insert(n, n + n / 3));
  }

  /** An ordinal index of two levels, for a block a row; and code words of four bytes. */
  private List<Step> large() throws IOException {
    Table deep = table("deep", List.of(
        new Column("wide", Type.STRING).encoding(Encoding.PLAIN_ENCODING).codec(CompressionAlgorithm.ZLIB).values("wide").block(512)));
    Table codes = table("codes", List.of(new Column("word", Type.STRING).encoding(Encoding.DICT_ENCODING).values("distinct").block(4 << 20)));
    return List.of(() -> {
      deep.insert(0, 3000);
      codes.insert(0, 70_000);
    });
  }

  /** Rows that are nowhere but in memory and in the log. */
  private void unflushed() throws IOException, InterruptedException {
    List<Column> columns = List.of(new Column("number", Type.INT64).nulls("some"), new Column("word", Type.STRING).nulls("some").initial("none"),
        new Column("once", Type.INT32).nulls("some").immutable());
    Table t = table("unflushed", columns);
    int n = 40 * scale;
    rounds(List.of(List.of(() -> t.insert(0, n))));
    t.insert(n, n + 10 * scale);
    t.update(every(6, 0, n + 10 * scale), 1, c -> !c.name.equals("once"));
    t.flushed();
    t.delete(every(10, 0, n + 10 * scale));
    t.insert(every(20, 0, n), 2);
    t.upsert(every(8, 3, n + 14 * scale), 3, c -> !c.name.equals("once"));
    t.flushed();
    t.alter(new AlterTableOptions().renameColumn("number", "counter"), new Column("late", Type.INT8).initial((byte) 5));
    t.columns.get(1).name = "counter";
    t.insert(n + 20 * scale, n + 24 * scale);
    t.update(every(7, 1, n).filter(i -> i % 20 != 10), 4, c -> c.name.equals("counter"));
  }

  /** tables.json, and the rows of each table, the latest and those at its snapshots. */
  private void expected() throws IOException {
    Files.createDirectories(out);
    StringBuilder b = new StringBuilder();
    for (Table t : tables) {
      b.append(b.isEmpty() ? "[\n" : ",\n").append(" {\"table\":\"").append(t.name).append("\",\"rows\":");
      b.append(RowText.write(cluster, t.name, null, out.resolve(t.name + ".jsonl.gz")));
      b.append(",\"snapshots\":[");
      int k = 0;
      for (long at : t.snapshots) {
        String text = t.name + "@" + ++k;
        int rows = RowText.write(cluster, t.name, at, out.resolve(text + ".jsonl.gz"));
        b.append(k > 1 ? "," : "").append("{\"timestamp\":").append(at).append(",\"rows\":").append(rows).append('}');
      }
      b.append("]}");
    }
    Files.writeString(out.resolve("tables.json"), b.append("\n]\n"));
  }
}
