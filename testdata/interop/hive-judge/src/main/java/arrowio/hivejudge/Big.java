package arrowio.hivejudge;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hive.common.type.Date;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.common.type.Timestamp;
import org.apache.hadoop.hive.ql.io.RecordUpdater;
import org.apache.hadoop.hive.ql.io.orc.Writer;

/**
 * The table that speed is measured on, in DIR/table: four fifths of the rows in a base, one in a delta, each of four buckets,
 * and one row in a hundred, at random, deleted. DIR/plain has the same rows, none deleted, in files like those without the
 * columns of events.
 */
final class Big {
  private static final int BUCKETS = 4;
  private static final String[] WORDS =
      "carefully final deposits sleep quickly above the ironic packages among furiously even".split(" ");

  private Big() {}

  static void write(Path dir, long rows, String codec) throws IOException {
    Random r = new Random(1);
    String names = "id,quantity,price,tax,flag,day,at,comment,sparse";
    String types = "bigint:int:decimal(12,2):double:string:date:timestamp:string:int";
    Table table = new Table(dir.resolve("table"), names, types, BUCKETS, true).compress(codec);
    Table plain = new Table(dir.resolve("plain"), names, types, BUCKETS, true).compress(codec);
    long inBase = rows * 4 / 5;
    part(table, plain, r, 1, true, 0, inBase);
    part(table, plain, r, 2, false, inBase, rows);
    long gone = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      RecordUpdater u = table.updater(bucket, 3, 3, 0, false, true);
      for (long write = 1; write <= 2; write++) {
        long n = count(write == 1 ? 0 : inBase, write == 1 ? inBase : rows, bucket);
        for (long row = 0; row < n; row++) {
          if (r.nextInt(100) == 0) {
            // of codec 1, statement 0
            u.delete(3, Table.withId(Arrays.asList(new Object[9]), new Table.Row(write, 1 << 29 | bucket << 16, row, "")));
            gone++;
          }
        }
      }
      u.close(false);
    }
    Files.writeString(dir.resolve("deleted"), gone + "\n");
  }

  /** How many numbers from first to end belong to a bucket. */
  private static long count(long first, long end, int bucket) {
    return Math.floorDiv(end - 1 - bucket, BUCKETS) - Math.floorDiv(first - 1 - bucket, BUCKETS);
  }

  private static void part(Table table, Table plain, Random r, long write, boolean base, long first, long end) throws IOException {
    RecordUpdater[] updaters = new RecordUpdater[BUCKETS];
    Writer[] writers = new Writer[BUCKETS];
    for (int b = 0; b < BUCKETS; b++) {
      updaters[b] = table.updater(b, write, write, 0, base, false);
      writers[b] = plain.plainWriter(String.format("%s-%d.orc", base ? "base" : "delta", b));
    }
    for (long id = first; id < end; id++) {
      List<Object> row = row(r, id);
      int b = (int) (id % BUCKETS);
      updaters[b].insert(write, row);
      writers[b].addRow(row);
    }
    for (int b = 0; b < BUCKETS; b++) {
      updaters[b].close(false);
      writers[b].close();
    }
  }

  private static List<Object> row(Random r, long id) {
    StringBuilder comment = new StringBuilder().append(r.nextInt(1_000_000));
    for (int i = r.nextInt(6); i > 0; i--) {
      comment.append(' ').append(WORDS[r.nextInt(WORDS.length)]);
    }
    return Arrays.asList(
        id,
        1 + r.nextInt(50),
        HiveDecimal.create(BigDecimal.valueOf(90_000 + r.nextInt(10_000_000), 2)),
        r.nextInt(9) / 100.0,
        "ANR".substring(r.nextInt(3)).substring(0, 1),
        Date.ofEpochDay(8_000 + r.nextInt(2_500)),
        Timestamp.ofEpochSecond(1_700_000_000 + id * 37 / 1000, r.nextInt(1_000_000) * 1000),
        comment.toString(),
        r.nextInt(10) == 0 ? r.nextInt() : null);
  }
}
