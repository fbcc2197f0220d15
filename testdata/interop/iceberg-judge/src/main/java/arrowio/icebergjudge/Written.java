package arrowio.icebergjudge;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.orc.GenericOrcReader;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructLikeWrapper;

/**
 * Tables that others have written: their rows, and whether partitions, counts and bounds in manifests are true. Then all manifests
 * are rewritten, so that the next one finds a table that this library has changed.
 */
final class Written {
  private final Table table;
  private final List<String> faults = new ArrayList<>();

  private Written(Table table) {
    this.table = table;
  }

  /** Each line of standard input is the directory of a table, a tab, and where its rows go. */
  static void check() throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] part = line.split("\t");
      try {
        Written w = new Written(new HadoopTables(new Configuration()).load("file:" + part[0]));
        w.table(new File(part[1]));
        for (String fault : w.faults) {
          System.out.println("fault\t" + part[0] + "\t" + fault.replace('\n', ' '));
        }
        System.out.println("checked\t" + part[0]);
      } catch (IOException | RuntimeException e) {
        System.out.println("error\t" + part[0] + "\t" + trace(e).replace('\n', ' ').replace('\t', ' '));
      }
    }
  }

  /** The error, and where it comes from. */
  private static String trace(Exception e) {
    StackTraceElement[] at = e.getStackTrace();
    return e + " at " + java.util.Arrays.toString(java.util.Arrays.copyOf(at, Math.min(8, at.length)));
  }

  private void table(File to) throws IOException {
    List<String> lines = rows();
    try (BufferedWriter w = Files.newBufferedWriter(to.toPath(), StandardCharsets.UTF_8)) {
      for (String line : lines) {
        w.write(line + "\n");
      }
    }
    long files = 0;
    long bytes = 0;
    long records = 0;
    try (CloseableIterable<FileScanTask> tasks = table.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask t : tasks) {
        files++;
        bytes += t.file().fileSizeInBytes();
        records += t.file().recordCount();
        file(t);
      }
    }
    Snapshot s = table.currentSnapshot();
    if (s == null) {
      return;
    }
    total(s, SnapshotSummary.TOTAL_DATA_FILES_PROP, files);
    total(s, SnapshotSummary.TOTAL_FILE_SIZE_PROP, bytes);
    total(s, SnapshotSummary.TOTAL_RECORDS_PROP, records);
    table.rewriteManifests().clusterBy(f -> "one").commit();
    table.refresh();
    List<String> was = unsigned(lines);
    List<String> is = unsigned(rows());
    if (!is.equals(was)) {
      faults.add("after its manifests are rewritten, the table has other rows");
    }
  }

  /** The characters of rows in order, since maps whose keys are bytes have none, and without the signs of zeros. */
  private static List<String> unsigned(List<String> rows) {
    return rows.stream()
        .map(r -> r.replace("\"f80000000\"", "\"f00000000\"").replace("\"d8000000000000000\"", "\"d0000000000000000\""))
        .map(r -> r.chars().sorted().collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString())
        .sorted()
        .toList();
  }

  private void total(Snapshot s, String key, long want) {
    if (!Long.toString(want).equals(s.summary().get(key)) && table.currentSnapshot().deleteManifests(table.io()).isEmpty()) {
      faults.add("the summary says " + key + " " + s.summary().get(key) + ", and it is " + want);
    }
  }

  private List<String> rows() throws IOException {
    List<String> lines = new ArrayList<>();
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      for (Record row : rows) {
        lines.add(Rows.text(row, table.schema()));
      }
    }
    Collections.sort(lines);
    return lines;
  }

  /** Compares what a manifest says of a file with its rows. */
  private void file(FileScanTask t) throws IOException {
    ContentFile<?> f = t.file();
    Schema schema = table.schema();
    PartitionSpec spec = t.spec();
    StructLikeWrapper said = StructLikeWrapper.forType(spec.partitionType()).set(t.file().partition());
    PartitionKey key = new PartitionKey(spec, schema);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    List<Column> columns = new ArrayList<>();
    for (Types.NestedField c : schema.columns()) {
      column(columns, f, c, new ArrayList<>());
    }
    long rows = 0;
    InputFile in = table.io().newInputFile(f.location());
    if (in.getLength() != f.fileSizeInBytes()) {
      faults.add(f.location() + " has " + in.getLength() + " bytes");
    }
    try (CloseableIterable<Record> all = read(in, f.format(), schema)) {
      for (Record row : all) {
        rows++;
        StructLike internal = wrapper.wrap(row);
        key.partition(internal);
        if (!StructLikeWrapper.forType(spec.partitionType()).set(key).equals(said)) {
          faults.add(f.location() + " is of the partition " + t.file().partition() + ", and has a row of " + key);
          return;
        }
        for (Column c : columns) {
          c.look(internal);
        }
      }
    }
    if (rows != f.recordCount()) {
      faults.add(f.location() + " has " + rows + " rows");
    }
    for (Column c : columns) {
      c.check(f, rows);
    }
  }

  private static CloseableIterable<Record> read(InputFile in, FileFormat format, Schema schema) {
    return format == FileFormat.ORC
        ? ORC.read(in).project(schema).createReaderFunc(t -> GenericOrcReader.buildReader(schema, t)).build()
        : Parquet.read(in).project(schema).createReaderFunc(t -> GenericParquetReaders.buildReader(schema, t)).build();
  }

  private void column(List<Column> columns, ContentFile<?> f, Types.NestedField c, List<Step> above) {
    List<Step> path = new ArrayList<>(above);
    int at = above.isEmpty() ? table.schema().columns().indexOf(c) : above.get(above.size() - 1).type().fields().indexOf(c);
    path.add(new Step(at, c.type().isStructType() ? c.type().asStructType() : null));
    if (c.type().isStructType()) {
      for (Types.NestedField child : c.type().asStructType().fields()) {
        column(columns, f, child, path);
      }
    } else if (c.type().isPrimitiveType()) {
      columns.add(new Column(f, c, path));
    }
  }

  private record Step(int at, Types.StructType type) {}

  /** What a manifest says of a column of a file. */
  private final class Column {
    private final Types.NestedField field;
    private final List<Step> path;
    private final Object lower;
    private final Object upper;
    private final Comparator<Object> order;
    private long nulls;
    private long nans;
    private boolean outside;

    Column(ContentFile<?> f, Types.NestedField field, List<Step> path) {
      this.field = field;
      this.path = path;
      lower = bound(f.lowerBounds());
      upper = bound(f.upperBounds());
      order = lower == null ? null : Comparators.forType((Type.PrimitiveType) field.type());
    }

    private Object bound(Map<Integer, ByteBuffer> bounds) {
      return bounds == null || bounds.get(field.fieldId()) == null ? null : Conversions.fromByteBuffer(field.type(), bounds.get(field.fieldId()));
    }

    void look(StructLike row) {
      Object v = row;
      for (Step s : path) {
        v = v == null ? null : ((StructLike) v).get(s.at(), Object.class);
      }
      if (v == null) {
        nulls++;
      } else if (v instanceof Float x && x.isNaN() || v instanceof Double y && y.isNaN()) {
        nans++;
      } else if (lower != null && order.compare(lower, v) > 0 || upper != null && order.compare(v, upper) > 0) {
        outside = true;
      }
    }

    void check(ContentFile<?> f, long rows) {
      String at = f.location() + " " + field.name() + ": ";
      if (outside) {
        faults.add(at + "values beyond " + lower + " and " + upper);
      }
      count(at + "values", f.valueCounts(), rows);
      count(at + "nulls", f.nullValueCounts(), nulls);
      count(at + "NaNs", f.nanValueCounts(), nans);
    }

    private void count(String what, Map<Integer, Long> said, long want) {
      Long n = said == null ? null : said.get(field.fieldId());
      if (n != null && n != want) {
        faults.add(what + " " + n + ", and there are " + want);
      }
    }
  }
}
