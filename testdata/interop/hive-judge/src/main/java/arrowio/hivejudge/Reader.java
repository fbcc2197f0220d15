package arrowio.hivejudge;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.HiveMetaStoreUtils;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.hadoop.hive.serde2.Deserializer;
import org.apache.hadoop.hive.serde2.SerDeUtils;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.ReflectionUtils;

/** Reads the rows of a table as Hive does: by the metastore's partitions, with the input format and the SerDe of each. */
final class Reader {
  private final HiveMetaStoreClient client;

  Reader(HiveMetaStoreClient client) {
    this.client = client;
  }

  private boolean canonical;

  /** As rows, in the canonical text of values. */
  List<String> values(String name) throws Exception {
    canonical = true;
    try {
      return rows(name);
    } finally {
      canonical = false;
    }
  }

  /** The catalog, the database and the name of a table: CATALOG.DATABASE.TABLE, or a table of the database d in the default catalog. */
  private static String[] parts(String name) {
    String[] n = name.split("\\.");
    return n.length == 3 ? n : new String[] {"hive", "d", name};
  }

  /** A line of JSON for each row, sorted; for rows of a partition, its values and a tab are in front. */
  List<String> rows(String name) throws Exception {
    String[] n = parts(name);
    Table table = client.getTable(n[0], n[1], n[2]);
    List<String> out = new ArrayList<>();
    if (table.getPartitionKeysSize() == 0) {
      read(table, null, table.getSd(), "", out);
    } else {
      for (Partition p : client.listPartitions(n[0], n[1], n[2], -1)) {
        read(table, p, p.getSd(), String.join(",", p.getValues()) + "\t", out);
      }
    }
    Collections.sort(out);
    return out;
  }

  /** The parameters of a table, or of its partitions, that say how many rows there are. */
  List<String> statistics(String name) throws Exception {
    String[] n = parts(name);
    Table table = client.getTable(n[0], n[1], n[2]);
    List<String> out = new ArrayList<>();
    out.add(counted(table.getParameters()));
    if (table.getPartitionKeysSize() > 0) {
      for (Partition p : client.listPartitions(n[0], n[1], n[2], -1)) {
        out.add(String.join(",", p.getValues()) + " " + counted(p.getParameters()));
      }
    }
    return out;
  }

  private static String counted(java.util.Map<String, String> parameters) {
    return "numRows=" + parameters.get("numRows") + " accurate=" + parameters.get("COLUMN_STATS_ACCURATE");
  }

  private void read(Table table, Partition p, StorageDescriptor s, String before, List<String> out) throws Exception {
    JobConf c = new JobConf(new Configuration(false));
    c.set("fs.defaultFS", "file:///");
    c.setClass("fs.file.impl", RawLocalFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
    StringBuilder names = new StringBuilder();
    StringBuilder types = new StringBuilder();
    for (FieldSchema f : s.getCols()) {
      names.append(names.length() > 0 ? "," : "").append(f.getName());
      types.append(types.length() > 0 ? ":" : "").append(f.getType());
    }
    c.set("columns", names.toString());
    c.set("columns.types", types.toString());
    c.set("schema.evolution.columns", names.toString());
    c.set("schema.evolution.columns.types", types.toString());
    c.setBoolean("hive.io.file.readcolumn.all.columns", true);
    Deserializer d = p == null ? HiveMetaStoreUtils.getDeserializer(c, table, false) : HiveMetaStoreUtils.getDeserializer(c, p, table);
    Path at = Path.of(new org.apache.hadoop.fs.Path(s.getLocation()).toUri().getPath());
    List<Path> files;
    try (Stream<Path> all = Files.list(at)) {
      files = all.filter(f -> Files.isRegularFile(f) && !f.getFileName().toString().startsWith(".") && !f.getFileName().toString().startsWith("_")).toList();
    }
    for (Path f : files) {
      if (Files.size(f) == 0) {
        continue;
      }
      FileInputFormat.setInputPaths(c, new org.apache.hadoop.fs.Path(null, null, f.toString()));
      @SuppressWarnings("unchecked")
      InputFormat<Object, org.apache.hadoop.io.Writable> in =
          (InputFormat<Object, org.apache.hadoop.io.Writable>)
              ReflectionUtils.newInstance(Class.forName(s.getInputFormat()), c);
      for (InputSplit split : in.getSplits(c, 1)) {
        RecordReader<Object, org.apache.hadoop.io.Writable> r = in.getRecordReader(split, c, Reporter.NULL);
        Object key = r.createKey();
        org.apache.hadoop.io.Writable value = r.createValue();
        while (r.next(key, value)) {
          Object row = d.deserialize(value);
          if (canonical) {
            StringBuilder b = new StringBuilder(before);
            RowText.append(b, row, d.getObjectInspector());
            out.add(b.toString());
          } else {
            out.add(before + SerDeUtils.getJSONString(row, d.getObjectInspector()));
          }
        }
        r.close();
      }
    }
  }
}
