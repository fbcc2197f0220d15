package arrowio.orcjudge;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;

/** Java's speed: reads a file into vectors on one thread, again and again. */
final class Bench {
  private Bench() {}

  /** Prints a line of JSON for each pass: rows, CPU and wall seconds, peak resident size. */
  static void read(File file, int passes, PrintStream out) throws IOException {
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Configuration conf = new Configuration(false);
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    for (int i = 0; i < passes; i++) {
      long cpu = process.getProcessCpuTime();
      long wall = System.nanoTime();
      long rows = 0;
      try (Reader reader = OrcFile.createReader(new org.apache.hadoop.fs.Path(file.toURI()), OrcFile.readerOptions(conf).useUTCTimestamp(true));
          RecordReader records = reader.rows()) {
        VectorizedRowBatch batch = reader.getSchema().createRowBatch(TypeDescription.RowBatchVersion.USE_DECIMAL64, 1024);
        while (records.nextBatch(batch)) {
          rows += batch.size;
        }
      }
      out.printf("{\"rows\":%d,\"cpu\":%.6f,\"wall\":%.6f,\"peak_rss_kb\":%d}%n", rows,
          (process.getProcessCpuTime() - cpu) / 1e9, (System.nanoTime() - wall) / 1e9, peakKb());
      out.flush();
    }
  }

  private static long peakKb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }
}
