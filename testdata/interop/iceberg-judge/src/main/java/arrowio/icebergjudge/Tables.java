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
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
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
    List<Types.NestedField> fields = new ArrayList<>();
    for (int i = 1 + r.nextInt(6); i > 0; i--) {
      fields.add(values.field("c" + i, r.nextInt(3)));
    }
    Schema schema = new Schema(fields);
    int version = r.nextInt(5) == 0 ? 1 : 2;
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
      switch (r.nextInt(version == 1 ? 4 : 8)) {
        case 0, 1, 2 -> append();
        case 3 -> evolve();
        case 4, 5 -> positions();
        case 6 -> values();
        default -> repartition();
      }
      table.refresh();
    }
    dump(new File(d.getParentFile(), d.getName() + ".rows"), null);
    for (Snapshot s : table.snapshots()) {
      if (r.nextInt(3) == 0) {
        dump(new File(d.getParentFile(), d.getName() + "." + s.snapshotId() + ".rows"), s);
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
    return r.nextInt(3) == 0 ? FileFormat.PARQUET : FileFormat.ORC;
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

  private List<DataFile> dataFiles() throws IOException {
    List<DataFile> out = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(t -> out.add(t.file()));
    }
    return out;
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
      if (f.type().isPrimitiveType() && f.type().typeId() != Type.TypeID.FIXED) {
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
      case 0 -> u.addColumn("n" + r.nextInt(1000), f.type().isPrimitiveType() ? f.type() : Types.StringType.get());
      case 1 -> u.renameColumn(f.name(), "r" + r.nextInt(1000));
      case 2 -> {
        if (all.size() > 1 && !sources.contains(f.fieldId())) {
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

  private void dump(File to, Snapshot s) throws IOException {
    Schema schema = s == null ? table.schema() : table.schemas().get(s.schemaId());
    IcebergGenerics.ScanBuilder b = IcebergGenerics.read(table);
    if (s != null) {
      b = b.useSnapshot(s.snapshotId());
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
