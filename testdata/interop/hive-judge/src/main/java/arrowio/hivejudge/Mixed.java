package arrowio.hivejudge;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hive.common.type.Date;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator.RecordWriter;
import org.apache.hadoop.hive.ql.io.HiveOutputFormat;
import org.apache.hadoop.hive.serde2.AbstractSerDe;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspectorFactory;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfo;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfoUtils;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;

/** A table with partitions of many formats, of which some were written before columns were added and types widened. */
final class Mixed {
  static final String NAMES = "id,s,d,tags,r,m,f,b,added";
  static final String TYPES = "bigint:string:decimal(10,2):array<string>:struct<x:int,y:string>:map<string,bigint>:double:boolean:date";
  static final String OLD_NAMES = "id,s,d,tags,r,m,f,b";
  static final String OLD_TYPES = "int:string:decimal(8,2):array<string>:struct<x:int,y:string>:map<string,bigint>:float:boolean";

  /** How a format is written and read. */
  record Format(String input, String output, String serde) {}

  private static final String QL = "org.apache.hadoop.hive.ql.io.";
  private static final String TEXT = "org.apache.hadoop.mapred.TextInputFormat";
  private static final String TEXT_OUT = QL + "HiveIgnoreKeyTextOutputFormat";

  static final Map<String, Format> FORMATS = new LinkedHashMap<>();

  static {
    FORMATS.put("orc", new Format(QL + "orc.OrcInputFormat", QL + "orc.OrcOutputFormat", QL + "orc.OrcSerde"));
    FORMATS.put("parquet", new Format(QL + "parquet.MapredParquetInputFormat", QL + "parquet.MapredParquetOutputFormat", QL + "parquet.serde.ParquetHiveSerDe"));
    FORMATS.put("avro", new Format(QL + "avro.AvroContainerInputFormat", QL + "avro.AvroContainerOutputFormat", "org.apache.hadoop.hive.serde2.avro.AvroSerDe"));
    FORMATS.put("text", new Format(TEXT, TEXT_OUT, "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"));
    FORMATS.put("json", new Format(TEXT, TEXT_OUT, "org.apache.hadoop.hive.serde2.JsonSerDe"));
  }

  private Mixed() {}

  /** Rows of a partition, as values of the table's columns, or of those that it had before. */
  static List<List<Object>> rows(int seed, boolean old) {
    List<List<Object>> out = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      boolean none = i == 3; // all null but the number
      int n = 100 * seed + i;
      List<Object> row = new ArrayList<>();
      row.add(old ? (Object) n : (Object) (n + (1L << 40)));
      row.add(none ? null : "s" + n);
      row.add(none ? null : HiveDecimal.create(new java.math.BigDecimal(n + ".25")));
      row.add(none ? null : Arrays.asList("a" + n, "b"));
      row.add(none ? null : Arrays.<Object>asList(n, "y"));
      Map<String, Long> m = new LinkedHashMap<>();
      m.put("k", (long) n);
      row.add(none ? null : m);
      row.add(none ? null : old ? (Object) (n + 0.1f) : (Object) (n + 0.1));
      row.add(none ? null : n % 2 == 0);
      if (!old) {
        row.add(none ? null : Date.ofEpochDay(19000 + n));
      }
      out.add(row);
    }
    return out;
  }

  static ObjectInspector inspector(String names, String types) {
    List<ObjectInspector> all = new ArrayList<>();
    for (TypeInfo t : TypeInfoUtils.getTypeInfosFromTypeString(types)) {
      all.add(TypeInfoUtils.getStandardJavaObjectInspectorFromTypeInfo(t));
    }
    return ObjectInspectorFactory.getStandardStructObjectInspector(List.of(names.split(",")), all);
  }

  /** Writes a file with Hive's own SerDe and output format. */
  static void write(Path file, Format f, String names, String types, List<List<Object>> rows) throws Exception {
    Files.createDirectories(file.getParent());
    JobConf c = new JobConf(new Configuration(false));
    c.set("fs.defaultFS", "file:///");
    c.setClass("fs.file.impl", RawLocalFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
    Properties p = new Properties();
    p.setProperty("columns", names);
    p.setProperty("columns.types", types);
    p.setProperty("name", "d.mixed");
    AbstractSerDe serde = (AbstractSerDe) Class.forName(f.serde()).getDeclaredConstructor().newInstance();
    serde.initialize(c, p);
    HiveOutputFormat<?, ?> out = (HiveOutputFormat<?, ?>) Class.forName(f.output()).getDeclaredConstructor().newInstance();
    RecordWriter w = out.getHiveRecordWriter(c, new org.apache.hadoop.fs.Path(file.toUri()), serde.getSerializedClass(), false, p, Reporter.NULL);
    ObjectInspector inspector = inspector(names, types);
    for (List<Object> row : rows) {
      w.write(serde.serialize(row, inspector));
    }
    w.close(false);
  }

  /** The row as the table has it: wider types, and null for what was added. */
  static String shown(List<Object> row, String partition) {
    List<Object> all = new ArrayList<>(row);
    all.set(0, ((Number) all.get(0)).longValue());
    if (all.get(6) != null) {
      all.set(6, ((Number) all.get(6)).doubleValue());
    }
    if (all.size() < NAMES.split(",").length) {
      all.add(null);
    }
    StringBuilder b = new StringBuilder();
    RowText.append(b, all, inspector(NAMES, TYPES));
    b.setLength(b.length() - 1);
    return b + ",\"" + partition + "\"]";
  }
}
