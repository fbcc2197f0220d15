package arrowio.kudujudge;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.RowResult;

/** The speed of the Java client: each value of a table is got, row by row. */
final class Bench {
  private Bench() {}

  /** Prints a line of JSON for each pass over the table. */
  static void read(Cluster c, String table, int passes, PrintStream out) throws IOException {
    OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    for (int pass = 0; pass < passes; pass++) {
      long cpu = os.getProcessCpuTime();
      long wall = System.nanoTime();
      long rows = 0;
      long seen = 0;
      KuduScanner s = c.client.newScannerBuilder(c.client.openTable(table)).batchSizeBytes(8 << 20).build();
      while (s.hasMoreRows()) {
        for (RowResult r : s.nextRows()) {
          rows++;
          seen += row(r);
        }
      }
      s.close();
      out.printf(Locale.ROOT, "{\"rows\":%d,\"cpu\":%.4f,\"wall\":%.4f,\"seen\":%d}%n", rows, (os.getProcessCpuTime() - cpu) / 1e9,
          (System.nanoTime() - wall) / 1e9, seen);
      out.flush();
    }
  }

  private static long row(RowResult r) {
    long seen = 0;
    for (int k = 0; k < r.getSchema().getColumnCount(); k++) {
      if (!r.isNull(k)) {
        seen += switch (r.getColumnType(k)) {
          case INT64, UNIXTIME_MICROS -> r.getLong(k);
          case INT32 -> r.getInt(k);
          case DOUBLE -> (long) r.getDouble(k);
          case STRING -> r.getString(k).length();
          default -> throw new IllegalArgumentException(r.getColumnType(k).toString());
        };
      }
    }
    return seen;
  }
}
