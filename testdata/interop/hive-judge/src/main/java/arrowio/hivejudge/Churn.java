package arrowio.hivejudge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.ql.io.RecordUpdater;

/**
 * A table of ROWS rows that is changed without end: each transaction gives all rows one new number, or is aborted, and every few of them
 * its directories are compacted, minor or major, and what is obsolete is deleted. Whoever reads it must see one number in all
 * rows, never an older one than before.
 */
final class Churn extends Thread {
  static final int ROWS = 40;

  /** What a table's write ids are now. */
  interface Ids {
    WriteIds of(String table) throws Exception;
  }

  private final HiveMetaStoreClient client;
  private final Ids ids;
  private final Table table;
  private final String name;
  private volatile boolean ended;
  private volatile Exception failed;
  private volatile long committed;
  private volatile long begun; // the newest transaction that is to be committed
  private volatile int compactions;
  private final Random random = new Random(1);

  Churn(HiveMetaStoreClient client, Ids ids, Table table, String name) {
    this.client = client;
    this.ids = ids;
    this.table = table;
    this.name = name;
    setDaemon(true);
  }

  @Override
  public void run() {
    try {
      change(false);
      for (int i = 1; !ended; i++) {
        change(i % 5 == 3);
        if (i % 2 == 0) {
          compact(random.nextInt(3) == 0);
        }
      }
    } catch (Exception e) {
      failed = e;
      e.printStackTrace();
    }
  }

  /** One transaction: the rows are updated to its write id. */
  private void change(boolean abort) throws Exception {
    long txn = client.openTxn("judge");
    long w = client.allocateTableWriteId(txn, "d", name);
    List<Table.Row> before = table.read(ids.of(name));
    Map<Integer, RecordUpdater> by = new HashMap<>();
    for (int i = 0; before.isEmpty() && i < ROWS; i++) {
      int b = i % table.buckets;
      if (!by.containsKey(b)) {
        by.put(b, table.updater(b, w, w, 0, false, false));
      }
      by.get(b).insert(w, new ArrayList<>(List.of((long) i, w)));
    }
    for (Table.Row x : before) {
      if (!by.containsKey(x.number())) {
        by.put(x.number(), table.updater(x.number(), w, w, 0, false, true));
      }
      long id = Long.parseLong(x.text().substring(1, x.text().indexOf(',')));
      by.get(x.number()).update(w, Table.withId(new ArrayList<>(List.of(id, w)), x));
    }
    for (RecordUpdater u : by.values()) {
      u.close(false);
    }
    if (abort) {
      client.rollbackTxn(txn);
    } else {
      begun = w;
      client.commitTxn(txn);
      committed = w;
    }
  }

  private void compact(boolean major) throws Exception {
    WriteIds now = ids.of(name);
    WriteIds settled = new WriteIds(now.open().isEmpty() ? now.high() : now.open().first() - 1, new TreeSet<>(), now.aborted());
    Compactor compactor = new Compactor(table).slowly(random);
    if (compactor.run(major, settled) != null) {
      compactions++;
      if (!major && random.nextBoolean()) {
        compactor.run(false, settled); // the same directories are made anew
      }
      compactor.clean(settled);
    }
  }

  /** The number that was committed last, that which may have been committed, and how many compactions there were. */
  List<String> state() throws Exception {
    if (failed != null) {
      throw failed;
    }
    long known = committed; // first: it follows the other
    return List.of(known + " " + begun + " " + compactions);
  }

  List<String> end() throws Exception {
    ended = true;
    join();
    return state();
  }
}
