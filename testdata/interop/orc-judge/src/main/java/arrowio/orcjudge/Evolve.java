package arrowio.orcjudge;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;

/** What files are under schemas of other types. */
final class Evolve {
  private Evolve() {}

  /** Reads lines of FILE, a tab, the schema, a tab and OUT, and writes canonical rows to OUT, or "error: " and why. */
  static void run(InputStream list) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] part = line.split("\t");
      String out;
      try {
        out = rows(new File(part[0]), TypeDescription.fromString(part[1]));
      } catch (IOException | RuntimeException e) {
        out = "error: " + Judge.cause(e) + "\n";
      }
      try (Writer w = Files.newBufferedWriter(new File(part[2]).toPath())) {
        w.write(out);
      }
    }
  }

  private static String rows(File f, TypeDescription schema) throws IOException {
    StringBuilder out = new StringBuilder();
    try (Reader r = OrcFiles.open(f, false);
        RecordReader rows = r.rows(r.options().schema(schema))) {
      VectorizedRowBatch batch = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 1024);
      RowText text = new RowText();
      while (rows.nextBatch(batch)) {
        for (int i = 0; i < batch.size; i++) {
          out.append(text.row(batch, schema, i)).append('\n');
        }
      }
    }
    return out.toString();
  }
}
