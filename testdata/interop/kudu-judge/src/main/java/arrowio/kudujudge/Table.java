package arrowio.kudujudge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.Schema;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.Operation;

/** A table that is filled by row number: keys and values follow from it. */
final class Table {
  /** The key columns of row i. */
  interface Keys {
    Object of(int i, Column c);
  }

  private static final int BATCH = 500;

  final String name;
  final List<Column> columns;
  /** Timestamps at which the table is to be compared. */
  final List<Long> snapshots = new ArrayList<>();
  private final Cluster cluster;
  private final Keys keys;
  private KuduTable table;
  private boolean changed;

  private Table(Cluster cluster, String name, List<Column> columns, Keys keys) {
    this.cluster = cluster;
    this.name = name;
    this.columns = new ArrayList<>(columns);
    this.keys = keys;
  }

  static Schema schema(List<Column> columns) {
    List<ColumnSchema> l = new ArrayList<>();
    columns.forEach(c -> l.add(c.schema()));
    return new Schema(l);
  }

  /** options null: one tablet. */
  static Table create(Cluster cluster, String name, List<Column> columns, CreateTableOptions options, Keys keys) throws IOException {
    Table t = new Table(cluster, name, columns, keys);
    CreateTableOptions o = options;
    if (o == null) {
      o = new CreateTableOptions().setRangePartitionColumns(columns.stream().filter(c -> c.key).map(c -> c.name).limit(1).toList());
    }
    t.table = cluster.client.createTable(name, schema(columns), o.setNumReplicas(1));
    return t;
  }

  /** added are the new columns; those that go or get other names are the caller's to change in columns. */
  void alter(AlterTableOptions change, Column... added) throws IOException {
    for (Column c : added) {
      change.addColumn(c.schema());
    }
    cluster.client.alterTable(name, change);
    table = cluster.client.openTable(name);
    columns.addAll(List.of(added));
  }

  /** Remembers the present state to be compared later, if the table has changed since the last one. */
  void flushed() throws InterruptedException {
    if (changed) {
      snapshots.add(cluster.now());
      Thread.sleep(3);
    }
    changed = false;
  }

  static IntStream every(int step, int from, int to) {
    return IntStream.range(from, to).filter(i -> (i - from) % step == 0);
  }

  void insert(int from, int to) throws IOException {
    write(IntStream.range(from, to), 0, () -> table.newInsert(), c -> true);
  }

  void insert(IntStream rows, int version) throws IOException {
    insert(rows, version, c -> true);
  }

  void insert(IntStream rows, int version, Predicate<Column> which) throws IOException {
    write(rows, version, () -> table.newInsert(), which);
  }

  void upsert(IntStream rows, int version) throws IOException {
    upsert(rows, version, c -> true);
  }

  void upsert(IntStream rows, int version, Predicate<Column> which) throws IOException {
    write(rows, version, () -> table.newUpsert(), which);
  }

  void insertIgnore(IntStream rows, int version) throws IOException {
    write(rows, version, () -> table.newInsertIgnore(), c -> true);
  }

  void update(IntStream rows, int version, Predicate<Column> which) throws IOException {
    write(rows, version, () -> table.newUpdate(), which);
  }

  void delete(IntStream rows) throws IOException {
    write(rows, 0, () -> table.newDelete(), c -> false);
  }

  private interface New {
    Operation operation();
  }

  private void write(IntStream rows, int version, New op, Predicate<Column> which) throws IOException {
    changed = true;
    KuduSession s = cluster.session();
    int waiting = 0;
    for (int i : rows.toArray()) {
      Operation o = op.operation();
      for (Column c : columns) {
        if (c.key || which.test(c)) {
          Values.set(o.getRow(), c, c.key ? keys.of(i, c) : Values.at(name, c, i, version));
        }
      }
      s.apply(o);
      if (++waiting == BATCH) {
        Cluster.send(s);
        waiting = 0;
      }
    }
    Cluster.send(s);
    s.close();
  }
}
