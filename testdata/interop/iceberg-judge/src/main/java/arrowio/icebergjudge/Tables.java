package arrowio.icebergjudge;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * Whole tables of random schemas and histories: appends, deletes by position and by values, changes of the schema and of the
 * partitions. Beside each table DIR/tN lie DIR/tN.rows, the rows of the current state, and DIR/tN.ID.rows, those of snapshots,
 * as Iceberg's generic reader has them, sorted.
 */
final class Tables {
  private final Random r;
  private final RandomTables values;
  private Table table;
  private int writes;
  private int version; // of the format
  private boolean defaults; // columns are added with defaults, which the reader of ORC files does not know
  private final Set<Integer> deletedBy = new TreeSet<>(); // columns of equality deletes

  private Tables(long seed) {
    r = new Random(seed);
    values = new RandomTables(seed);
  }

  static void write(File dir, long seed, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      new Tables(seed * 1000 + i).table(new File(dir, "t" + i));
    }
  }

  private void table(File d) throws IOException {
    version = r.nextInt(6) == 0 ? 1 : r.nextInt(3) == 0 ? 2 : 3;
    if (version == 3) {
      values.third();
      defaults = r.nextBoolean();
    }
    List<Types.NestedField> fields = new ArrayList<>();
    for (int i = 1 + r.nextInt(6); i > 0; i--) {
      fields.add(values.field("c" + i, r.nextInt(3)));
    }
    Schema schema = new Schema(fields);
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema);
    if (r.nextBoolean()) {
      for (Types.NestedField f : schema.columns()) {
        if (f.type().isPrimitiveType() && r.nextInt(3) == 0) {
          partition(spec, f);
        }
      }
    }
    Map<String, String> props = new HashMap<>();
    props.put("format-version", Integer.toString(version));
    if (r.nextBoolean()) {
      props.put("write.metadata.metrics.default", r.nextBoolean() ? "full" : "counts");
    }
    if (r.nextInt(3) == 0) {
      props.put("write.metadata.compression-codec", "gzip");
    }
    table = new HadoopTables(new Configuration()).create(schema, spec.build(), props, d.getAbsolutePath());
    for (int i = r.nextInt(9); i > 0; i--) {
      switch (r.nextInt(version == 1 ? 5 : version == 2 ? 9 : 10)) {
        case 0, 1, 2 -> append();
        case 3 -> evolve();
        case 4 -> upgrade();
        case 5, 6 -> {
          if (version < 3) {
            positions();
          } else {
            vectors();
          }
        }
        case 7 -> values();
        case 8 -> repartition();
        default -> rewrite();
      }
      table.refresh();
    }
    dump(new File(d.getParentFile(), d.getName() + ".rows"), null, false);
    if (version == 3) {
      dump(new File(d.getParentFile(), d.getName() + ".lineage.rows"), null, true);
    }
    for (Snapshot s : table.snapshots()) {
      if (r.nextInt(3) == 0) {
        dump(new File(d.getParentFile(), d.getName() + "." + s.snapshotId() + ".rows"), s, false);
      }
    }
  }

  private void partition(PartitionSpec.Builder spec, Types.NestedField f) {
    switch (f.type().typeId()) {
      case DATE -> {
        switch (r.nextInt(3)) {
          case 0 -> spec.day(f.name());
          case 1 -> spec.month(f.name());
          default -> spec.identity(f.name());
        }
      }
      case TIMESTAMP -> {
        switch (r.nextInt(3)) {
          case 0 -> spec.year(f.name());
          case 1 -> spec.month(f.name());
          default -> spec.day(f.name());
        }
      }
      case STRING, INTEGER, LONG -> {
        switch (r.nextInt(3)) {
          case 0 -> spec.identity(f.name());
          case 1 -> spec.truncate(f.name(), 1 + r.nextInt(3));
          default -> spec.bucket(f.name(), 1 + r.nextInt(4));
        }
      }
      case BOOLEAN, DECIMAL, UUID -> spec.identity(f.name());
      default -> {}
    }
  }

  private FileFormat format() {
    return switch (r.nextInt(6)) {
      case 0, 1 -> FileFormat.PARQUET;
      case 2, 3 -> FileFormat.AVRO;
      default -> defaults ? FileFormat.AVRO : FileFormat.ORC;
    };
  }

  private OutputFileFactory files(FileFormat f) {
    return OutputFileFactory.builderFor(table, 1, ++writes).format(f).build();
  }

  private void append() throws IOException {
    Schema schema = table.schema();
    Map<PartitionKey, List<Record>> parts = new LinkedHashMap<>();
    PartitionKey key = new PartitionKey(table.spec(), schema);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    for (int i = r.nextInt(60); i > 0; i--) {
      Record row = values.record(schema.asStruct());
      key.partition(wrapper.wrap(row));
      parts.computeIfAbsent(key.copy(), k -> new ArrayList<>()).add(row);
    }
    AppendFiles append = r.nextBoolean() ? table.newAppend() : table.newFastAppend();
    for (Map.Entry<PartitionKey, List<Record>> p : parts.entrySet()) {
      FileFormat f = format();
      DataWriter<Record> w =
          new GenericAppenderFactory(schema, table.spec()).newDataWriter(files(f).newOutputFile(table.spec(), p.getKey()), f, p.getKey());
      try (w) {
        for (Record row : p.getValue()) {
          w.write(row);
        }
      }
      append.appendFile(w.toDataFile());
    }
    append.commit();
  }

  /** Replaces a data file by one that stores the lineage of its rows, and has a new row. */
  private void rewrite() throws IOException {
    List<DataFile> files = dataFiles();
    if (files.isEmpty()) {
      return;
    }
    DataFile old = files.get(r.nextInt(files.size()));
    Schema schema = MetadataColumns.schemaWithRowLineage(table.schema());
    PartitionSpec spec = table.specs().get(old.specId());
    FileFormat f = format();
    DataWriter<Record> w =
        new GenericAppenderFactory(schema, spec).newDataWriter(files(f).newOutputFile(spec, old.partition()), f, old.partition());
    try (w; CloseableIterable<Record> rows = IcebergGenerics.read(table).project(schema).build()) {
      Record last = null;
      int n = 0;
      PartitionKey key = new PartitionKey(spec, schema);
      InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
      for (Record row : rows) { // of any file in the partition: what is stored counts
        key.partition(wrapper.wrap(row));
        if (Comparators.forType(spec.partitionType()).compare(key, old.partition()) == 0 && n++ < old.recordCount()) {
          w.write(row.copy());
          last = row.copy();
        }
      }
      if (last == null) {
        return;
      }
      last.setField("_row_id", null);
      last.setField("_last_updated_sequence_number", null);
      w.write(last);
    }
    table.newOverwrite().deleteFile(old).addFile(w.toDataFile()).commit();
  }

  private List<DataFile> dataFiles() throws IOException {
    List<DataFile> out = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(t -> out.add(t.file()));
    }
    return out;
  }

  private void upgrade() {
    if (version < 3 && r.nextBoolean()) {
      version++;
      table.updateProperties().set("format-version", Integer.toString(version)).commit();
    }
  }

  /** Deletion vectors, which take over what earlier ones, and files of position deletes, have deleted. */
  private void vectors() throws IOException {
    Map<String, List<DeleteFile>> before = new HashMap<>();
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask t : tasks) {
        files.add(t.file());
        before.put(t.file().location(), t.deletes().stream().filter(d -> d.content() == FileContent.POSITION_DELETES).toList());
      }
    }
    BaseDeleteLoader loader = new BaseDeleteLoader(d -> table.io().newInputFile(d.location()));
    BaseDVFileWriter w = new BaseDVFileWriter(files(FileFormat.PUFFIN), path -> {
      List<DeleteFile> old = before.get(path);
      return old.isEmpty() ? null : loader.loadPositionDeletes(old, path);
    });
    try (w) {
      for (DataFile f : files) {
        int n = r.nextInt(3) == 0 ? 0 : r.nextInt(6);
        int from = r.nextInt((int) f.recordCount());
        boolean run = r.nextInt(4) == 0;
        for (int i = 0; i < n; i++) {
          long at = run ? Math.min(from + i, f.recordCount() - 1) : r.nextInt((int) f.recordCount());
          w.delete(f.location(), at, table.specs().get(f.specId()), f.partition());
        }
      }
    }
    if (w.result().deleteFiles().isEmpty()) {
      return;
    }
    RowDelta delta = table.newRowDelta().validateFromSnapshot(table.currentSnapshot().snapshotId());
    w.result().deleteFiles().forEach(delta::addDeletes);
    w.result().rewrittenDeleteFiles().forEach(delta::removeDeletes);
    delta.commit();
  }

  private void positions() throws IOException {
    Map<List<Object>, List<DataFile>> parts = new LinkedHashMap<>();
    for (DataFile f : dataFiles()) {
      if (r.nextInt(3) > 0) {
        List<Object> key = new ArrayList<>();
        key.add(f.specId());
        key.add(f.partition().toString());
        parts.computeIfAbsent(key, k -> new ArrayList<>()).add(f);
      }
    }
    RowDelta delta = table.newRowDelta();
    for (List<DataFile> files : parts.values()) {
      DataFile first = files.get(0);
      PartitionSpec spec = table.specs().get(first.specId());
      StructLike partition = spec.isUnpartitioned() ? null : first.partition();
      FileFormat f = format();
      PositionDeleteWriter<Record> w =
          new GenericAppenderFactory(table.schema(), spec).newPosDeleteWriter(files(f).newOutputFile(spec, partition), f, partition);
      List<String> paths = files.stream().map(DataFile::location).sorted().collect(Collectors.toList());
      Map<String, DataFile> by = files.stream().collect(Collectors.toMap(DataFile::location, x -> x));
      try (w) {
        for (String path : paths) {
          Set<Long> at = new TreeSet<>();
          for (int i = r.nextInt(6); i > 0; i--) {
            at.add((long) r.nextInt((int) by.get(path).recordCount()));
          }
          for (long p : at) {
            w.write(PositionDelete.<Record>create().set(path, p, null));
          }
        }
      }
      DeleteFile file = w.toDeleteFile();
      if (file.recordCount() > 0) {
        delta.addDeletes(file);
      }
    }
    delta.commit();
  }

  private void values() throws IOException {
    Schema schema = table.schema();
    List<Integer> plain = new ArrayList<>();
    for (Types.NestedField f : schema.columns()) {
      // The reader of Parquet files puts all values of a fixed column into one array, and so forgets all but the last.
      // The writer of ORC files says the bounds of nanoseconds in microseconds, so that deletes by them are passed over.
      if (f.type().isPrimitiveType() && f.type().typeId() != Type.TypeID.FIXED && f.type().typeId() != Type.TypeID.TIMESTAMP_NANO) {
        plain.add(f.fieldId());
      }
    }
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> all = IcebergGenerics.read(table).build()) {
      all.forEach(rows::add);
    }
    if (plain.isEmpty() || rows.isEmpty()) {
      return;
    }
    Set<Integer> chosen = new TreeSet<>();
    for (int i = 1 + r.nextInt(2); i > 0; i--) {
      chosen.add(plain.get(r.nextInt(plain.size())));
    }
    deletedBy.addAll(chosen);
    Schema part = TypeUtil.select(schema, chosen);
    PartitionSpec spec = table.spec();
    PartitionKey key = new PartitionKey(spec, schema);
    Map<PartitionKey, List<Record>> parts = new LinkedHashMap<>();
    for (int i = 1 + r.nextInt(5); i > 0; i--) {
      Record row = rows.get(r.nextInt(rows.size()));
      key.partition(new InternalRecordWrapper(schema.asStruct()).wrap(row));
      GenericRecord g = GenericRecord.create(part.asStruct());
      for (Types.NestedField f : part.columns()) {
        g.setField(f.name(), row.getField(f.name()));
      }
      parts.computeIfAbsent(key.copy(), k -> new ArrayList<>()).add(g);
    }
    int[] ids = chosen.stream().mapToInt(Integer::intValue).toArray();
    RowDelta delta = table.newRowDelta();
    for (Map.Entry<PartitionKey, List<Record>> p : parts.entrySet()) {
      FileFormat f = format();
      EqualityDeleteWriter<Record> w =
          new GenericAppenderFactory(schema, spec, ids, part, null)
              .newEqDeleteWriter(files(f).newOutputFile(spec, p.getKey()), f, spec.isUnpartitioned() ? null : p.getKey());
      try (w) {
        for (Record row : p.getValue()) {
          w.write(row);
        }
      }
      delta.addDeletes(w.toDeleteFile());
    }
    delta.commit();
  }

  private void evolve() {
    UpdateSchema u = table.updateSchema();
    List<Types.NestedField> all = table.schema().columns();
    Types.NestedField f = all.get(r.nextInt(all.size()));
    Set<Integer> sources = new TreeSet<>();
    table.specs().values().forEach(s -> s.fields().forEach(p -> sources.add(p.sourceId())));
    switch (r.nextInt(4)) {
      case 0 -> {
        String name = "n" + r.nextInt(1000);
        Type t = f.type().isPrimitiveType() ? f.type() : Types.StringType.get();
        if (!defaults) {
          u.addColumn(name, t);
        } else if (r.nextBoolean()) {
          u.addColumn(name, t, initial(t));
        } else {
          u.addRequiredColumn(name, t, initial(t));
        }
      }
      case 1 -> u.renameColumn(f.name(), "r" + r.nextInt(1000));
      case 2 -> {
        // Planning a scan fails where a column was dropped that equality deletes have.
        if (all.size() > 1 && !sources.contains(f.fieldId()) && !deletedBy.contains(f.fieldId())) {
          u.deleteColumn(f.name());
          if (r.nextBoolean()) {
            u.addColumn(f.name(), Types.LongType.get());
          }
        }
      }
      default -> {
        Type t = f.type();
        if (t.typeId() == Type.TypeID.INTEGER) {
          u.updateColumn(f.name(), Types.LongType.get());
        } else if (t.typeId() == Type.TypeID.FLOAT) {
          u.updateColumn(f.name(), Types.DoubleType.get());
        } else if (t instanceof Types.DecimalType x && x.precision() < 38) {
          u.updateColumn(f.name(), Types.DecimalType.of(x.precision() + 1, x.scale()));
        } else {
          u.makeColumnOptional(f.name());
        }
      }
    }
    u.commit();
  }

  /** A default of a type. */
  private Literal<?> initial(Type t) {
    Object v = values.value(t, false);
    return switch (t.typeId()) {
      case BOOLEAN -> Literal.of((Boolean) v);
      case INTEGER -> Literal.of((Integer) v);
      case LONG -> Literal.of(((Number) v).longValue());
      case FLOAT -> Literal.of(Float.isNaN((Float) v) ? 1 : (Float) v);
      case DOUBLE -> Literal.of(Double.isNaN((Double) v) ? 1 : (Double) v);
      case DECIMAL -> Literal.of((java.math.BigDecimal) v);
      case UUID -> Literal.of((java.util.UUID) v);
      case FIXED -> Literal.of((byte[]) v);
      case BINARY -> Literal.of((java.nio.ByteBuffer) v);
      case STRING -> Literal.of((String) v);
      default -> Literal.of(v.toString()).to(t);
    };
  }

  private void repartition() {
    UpdatePartitionSpec u = table.updateSpec();
    List<org.apache.iceberg.PartitionField> fields = table.spec().fields();
    if (!fields.isEmpty() && r.nextBoolean()) {
      u.removeField(fields.get(r.nextInt(fields.size())).name());
    } else {
      for (Types.NestedField f : table.schema().columns()) {
        if (f.type().typeId() == Type.TypeID.INTEGER || f.type().typeId() == Type.TypeID.STRING) {
          Term t = Expressions.bucket(f.name(), 2 + r.nextInt(3));
          try {
            u.addField("p" + r.nextInt(100000), t);
          } catch (IllegalArgumentException e) {
            return; // the partitions have this field already
          }
          break;
        }
      }
    }
    u.commit();
  }

  /** Rows of the current state, or of a snapshot, and of the current state with the columns of row lineage. */
  private void dump(File to, Snapshot s, boolean lineage) throws IOException {
    Schema schema = s == null ? table.schema() : table.schemas().get(s.schemaId());
    IcebergGenerics.ScanBuilder b = IcebergGenerics.read(table);
    if (s != null) {
      b = b.useSnapshot(s.snapshotId());
    }
    if (lineage) {
      schema = MetadataColumns.schemaWithRowLineage(schema);
      b = b.project(schema);
    }
    List<String> lines = new ArrayList<>();
    try (CloseableIterable<Record> rows = b.build()) {
      for (Record row : rows) {
        lines.add(Rows.text(row, schema));
      }
    }
    Collections.sort(lines);
    try (BufferedWriter w = Files.newBufferedWriter(to.toPath(), StandardCharsets.UTF_8)) {
      for (String line : lines) {
        w.write(line + "\n");
      }
    }
  }
}
