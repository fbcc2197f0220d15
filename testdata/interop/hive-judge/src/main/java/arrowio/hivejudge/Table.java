package arrowio.hivejudge;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.ql.io.AcidInputFormat;
import org.apache.hadoop.hive.ql.io.AcidOutputFormat;
import org.apache.hadoop.hive.ql.io.RecordIdentifier;
import org.apache.hadoop.hive.ql.io.RecordUpdater;
import org.apache.hadoop.hive.ql.io.orc.OrcFile;
import org.apache.hadoop.hive.ql.io.orc.OrcInputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcStruct;
import org.apache.hadoop.hive.ql.io.orc.Writer;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspectorFactory;
import org.apache.hadoop.hive.serde2.objectinspector.primitive.PrimitiveObjectInspectorFactory;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfo;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfoUtils;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;

/** A transactional table in a local directory, written and read by Hive's classes alone. */
final class Table {
  final java.nio.file.Path dir;
  final Path path;
  final List<String> names;
  final List<TypeInfo> types;
  final int buckets;
  private final boolean bucketed;
  private String codec = "ZLIB"; // which is what Hive takes
  private boolean positions;

  /** A row that Hive reads, with its id. */
  record Row(long write, int bucket, long row, String text) implements Comparable<Row> {
    @Override
    public int compareTo(Row o) {
      int c = Long.compare(write, o.write);
      c = c != 0 ? c : Integer.compare(bucket, o.bucket);
      return c != 0 ? c : Long.compare(row, o.row);
    }

    /** The number of the bucket in the bit field of codec 1. */
    int number() {
      return bucket >> 16 & 0xfff;
    }
  }

  Table(java.nio.file.Path dir, String names, String types, int buckets, boolean bucketed) throws IOException {
    Files.createDirectories(dir);
    this.dir = dir;
    this.path = new Path(dir.toUri());
    this.names = List.of(names.split(","));
    this.types = TypeInfoUtils.getTypeInfosFromTypeString(types);
    this.buckets = buckets;
    this.bucketed = bucketed;
  }

  Table compress(String codec) {
    this.codec = codec;
    return this;
  }

  /** Reads columns by position instead of by name. */
  Table byPosition() {
    positions = true;
    return this;
  }

  JobConf job(WriteIds ids) {
    JobConf c = new JobConf(new Configuration(false));
    c.set("fs.file.impl", RawLocalFileSystem.class.getName());
    c.set("fs.defaultFS", "file:///");
    c.set("mapreduce.input.fileinputformat.inputdir", path.toString());
    for (String prefix : List.of("", "schema.evolution.")) {
      c.set(prefix + "columns", String.join(",", names));
      c.set(prefix + "columns.types", typeNames());
    }
    c.setBoolean("hive.acid.table.scan", true);
    c.setBoolean("hive.transactional.table.scan", true);
    c.setBoolean("transactional", true);
    c.set("transactional_properties", "default");
    c.setInt("hive.txn.operational.properties", 1); // split update
    c.set("hive.txn.valid.writeids", ids.hive());
    c.set("hive.txn.tables.valid.writeids", ids.hive());
    c.set("hive.txn.valid.txns", Long.MAX_VALUE + ":" + Long.MAX_VALUE + "::");
    if (bucketed) {
      c.setInt("bucket_count", buckets);
    }
    c.set("hive.exec.orc.split.strategy", "BI"); // no search arguments, a split a file
    c.setBoolean("hive.io.file.readcolumn.all.columns", true);
    c.setBoolean("orc.force.positional.evolution", positions);
    c.setInt("hive.exec.orc.base.delta.ratio", 1); // stripes of deltas as large as those of bases
    return c;
  }

  private String typeNames() {
    return String.join(":", types.stream().map(TypeInfo::getTypeName).toList());
  }

  Properties properties() {
    Properties p = new Properties();
    p.setProperty("columns", String.join(",", names));
    p.setProperty("columns.types", typeNames());
    p.setProperty("orc.compress", codec);
    p.setProperty("transactional", "true");
    p.setProperty("transactional_properties", "default");
    return p;
  }

  FileSystem files() throws IOException {
    return path.getFileSystem(job(WriteIds.ALL));
  }

  /** Inspects rows as lists of Java values; with ids, the id of a row is behind its columns. */
  private ObjectInspector inspector(boolean ids) {
    List<String> n = new ArrayList<>(names);
    List<ObjectInspector> o = new ArrayList<>();
    for (TypeInfo t : types) {
      o.add(TypeInfoUtils.getStandardJavaObjectInspectorFromTypeInfo(t));
    }
    if (ids) {
      n.add("ROW__ID");
      ObjectInspector number = PrimitiveObjectInspectorFactory.javaLongObjectInspector;
      o.add(
          ObjectInspectorFactory.getStandardStructObjectInspector(
              List.of("writeid", "bucketid", "rowid"),
              List.of(number, PrimitiveObjectInspectorFactory.javaIntObjectInspector, number)));
    }
    return ObjectInspectorFactory.getStandardStructObjectInspector(n, o);
  }

  /** Where rows, updates and deletes of a bucket go; statement -1 is none. */
  RecordUpdater updater(int bucket, long first, long last, int statement, boolean base, boolean ids) throws IOException {
    JobConf c = job(WriteIds.ALL);
    AcidOutputFormat.Options o =
        new AcidOutputFormat.Options(c)
            .filesystem(files())
            .inspector(inspector(ids))
            .bucket(bucket)
            .minimumWriteId(first)
            .maximumWriteId(last)
            .writingBase(base)
            .statementId(statement)
            .reporter(Reporter.NULL)
            .tableProperties(properties())
            .finalDestination(path);
    if (ids) {
      o.recordIdColumn(names.size());
    }
    return new OrcOutputFormat().getRecordUpdater(path, o);
  }

  /** What an update or a delete of a row is given. */
  static Object withId(List<Object> values, Row of) {
    List<Object> l = new ArrayList<>(values);
    l.add(Arrays.<Object>asList(of.write, of.bucket, of.row));
    return l;
  }

  /** A file as Hive writes it into a table that is not transactional. */
  Writer plainWriter(String name) throws IOException {
    return OrcFile.createWriter(
        new Path(path, name), OrcFile.writerOptions(properties(), job(WriteIds.ALL)).fileSystem(files()).inspector(inspector(false)));
  }

  void writePlain(String name, List<List<Object>> rows) throws IOException {
    Writer w = plainWriter(name);
    for (List<Object> r : rows) {
      w.addRow(r);
    }
    w.close();
  }

  /** The rows that Hive's row reader sees, sorted by their ids. */
  List<Row> read(WriteIds ids) throws IOException {
    JobConf c = job(ids);
    OrcInputFormat format = new OrcInputFormat();
    List<Row> out = new ArrayList<>();
    for (InputSplit s : format.getSplits(c, 1)) {
      AcidInputFormat.RowReader<OrcStruct> reader =
          (AcidInputFormat.RowReader<OrcStruct>) format.getReader(s, new AcidInputFormat.Options(c).reporter(Reporter.NULL));
      RecordIdentifier id = reader.createKey();
      OrcStruct v = reader.createValue();
      while (reader.next(id, v)) {
        StringBuilder b = new StringBuilder();
        RowText.append(b, v, reader.getObjectInspector());
        out.add(new Row(id.getWriteId(), id.getBucketProperty(), id.getRowId(), b.toString()));
      }
      reader.close();
    }
    Collections.sort(out);
    return out;
  }
}
