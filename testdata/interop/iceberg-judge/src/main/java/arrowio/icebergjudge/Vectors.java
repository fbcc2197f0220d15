package arrowio.icebergjudge;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;

/** Deletion vectors of certain positions: DIR/NAME.dv, and DIR/small.puffin with all that is around one. */
final class Vectors {
  private Vectors() {}

  static void write(File dir) throws IOException {
    one(dir, "small", 0, 3, 4, 5, 9, 70000);
    one(dir, "runs", LongStream.range(0, 200000).filter(p -> p % 100 < 60).toArray());
    one(dir, "bits", LongStream.range(0, 200000).filter(p -> p * p % 7 == 2).toArray());
  }

  private static void one(File dir, String name, long... positions) throws IOException {
    File at = Files.createTempDirectory("vectors").toFile();
    Schema schema = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
    Table table = new HadoopTables(new Configuration())
        .create(schema, PartitionSpec.unpartitioned(), Map.of("format-version", "3"), at.getAbsolutePath() + "/t");
    BaseDVFileWriter w = new BaseDVFileWriter(OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build(), path -> null);
    try (w) {
      for (long p : positions) {
        w.delete("/t/data.parquet", p, PartitionSpec.unpartitioned(), null);
      }
    }
    DeleteFile f = w.result().deleteFiles().get(0);
    byte[] all = Files.readAllBytes(new File(f.location().replaceFirst("^file:", "")).toPath());
    int from = Math.toIntExact(f.contentOffset());
    Files.write(new File(dir, name + ".dv").toPath(), Arrays.copyOfRange(all, from, from + Math.toIntExact(f.contentSizeInBytes())));
    if (name.equals("small")) {
      Files.write(new File(dir, name + ".puffin").toPath(), all);
    }
  }
}
