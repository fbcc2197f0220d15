package arrowio.orcjudge;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;

/** Java's speed in writing: the rows of a flat file, which are read into memory first, again and again. */
final class WriteBench {
  private WriteBench() {}

  /** Prints a line of JSON for each pass: rows, CPU and wall seconds, bytes of the file. */
  static void write(File in, File out, String codec, int passes, PrintStream log) throws IOException {
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Configuration conf = new Configuration(false);
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    List<VectorizedRowBatch> rows = new ArrayList<>();
    TypeDescription schema;
    try (Reader reader = OrcFile.createReader(new Path(in.toURI()), OrcFile.readerOptions(conf).useUTCTimestamp(true));
        RecordReader records = reader.rows()) {
      schema = reader.getSchema();
      for (VectorizedRowBatch b = fresh(schema); records.nextBatch(b); b = fresh(schema)) {
        keep(b);
        rows.add(b);
      }
    }
    for (int i = 0; i < passes; i++) {
      Files.deleteIfExists(out.toPath()); // which takes time
      long cpu = process.getProcessCpuTime();
      long wall = System.nanoTime();
      long n = 0;
      OrcFile.WriterOptions options = OrcFile.writerOptions(conf).setSchema(schema).overwrite(true).compress(CompressionKind.valueOf(codec));
      try (Writer writer = OrcFile.createWriter(new Path(out.toURI()), options)) {
        for (VectorizedRowBatch b : rows) {
          writer.addRowBatch(b);
          n += b.size;
        }
      }
      log.printf("{\"rows\":%d,\"cpu\":%.6f,\"wall\":%.6f,\"bytes\":%d}%n", n,
          (process.getProcessCpuTime() - cpu) / 1e9, (System.nanoTime() - wall) / 1e9, out.length());
      log.flush();
    }
  }

  private static VectorizedRowBatch fresh(TypeDescription schema) {
    return schema.createRowBatch(TypeDescription.RowBatchVersion.USE_DECIMAL64, 1024);
  }

  /** Copies strings, which are views of the reader's buffers. */
  private static void keep(VectorizedRowBatch b) {
    for (ColumnVector c : b.cols) {
      if (c instanceof BytesColumnVector v) {
        for (int i = 0; i < (v.isRepeating ? 1 : b.size); i++) {
          if (v.noNulls || !v.isNull[i]) {
            byte[] copy = new byte[v.length[i]];
            System.arraycopy(v.vector[i], v.start[i], copy, 0, copy.length);
            v.setRef(i, copy, 0, copy.length);
          }
        }
      }
    }
  }
}
