package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.avro.AvroColumnWriter;

/** The files that speed is measured on: events of twelve columns, the same rows for each codec. */
final class BigFiles {
  private static final String SCHEMA =
      """
      {"type":"record","name":"Event","fields":[
       {"name":"id","type":"long"},{"name":"ts","type":"long"},{"name":"kind","type":"int"},
       {"name":"score","type":"double"},{"name":"ratio","type":"float"},{"name":"name","type":"string"},
       {"name":"flag","type":"boolean"},{"name":"tags","type":{"type":"array","items":"string"}},
       {"name":"note","type":["null","string"]},
       {"name":"pts","type":{"type":"array","items":{"type":"record","name":"Pt","fields":[
         {"name":"x","type":"double"},{"name":"ok","type":"boolean"}]}}}]}""";
  private static final String[] TAGS = {"alpha", "beta", "gamma", "delta", "a-much-longer-tag-value", "", "z"};

  private BigFiles() {}

  static void write(File dir, long rows, List<String> codecs, PrintStream out) throws IOException {
    if (!dir.isDirectory() && !dir.mkdirs()) {
      throw new IOException("cannot make " + dir);
    }
    Schema schema = new Schema.Parser().parse(SCHEMA);
    for (String codec : codecs.isEmpty() ? List.of("null", "snappy", "deflate") : codecs) {
      ColumnFileMetaData meta = new ColumnFileMetaData().setCodec(codec);
      if (!codec.equals("null")) { // the reader refuses what the writer stores there
        meta.setChecksum("crc32");
      }
      AvroColumnWriter<Object> w = new AvroColumnWriter<>(schema, meta);
      Random random = new Random(1);
      for (long i = 0; i < rows; i++) {
        w.write(event(schema, random, i));
      }
      File part = new File(dir, "big-" + codec + ".trv.part");
      File f = new File(dir, "big-" + codec + ".trv");
      w.writeTo(part);
      if (!part.renameTo(f)) {
        throw new IOException("cannot rename " + part);
      }
      out.println(f + ": " + rows + " rows, " + f.length() + " bytes");
      out.flush();
    }
  }

  private static GenericData.Record event(Schema s, Random r, long i) {
    GenericData.Record e = new GenericData.Record(s);
    e.put("id", i);
    e.put("ts", 1_700_000_000_000L + 37 * i + r.nextInt(1000));
    e.put("kind", r.nextInt(1000));
    e.put("score", 100 * r.nextGaussian());
    e.put("ratio", r.nextFloat());
    e.put("name", "user-" + r.nextInt(200_000) + "@example.org");
    e.put("flag", r.nextInt(3) == 0);
    List<Object> tags = new ArrayList<>();
    for (int n = r.nextInt(5); n > 0; n--) {
      tags.add(TAGS[r.nextInt(TAGS.length)]);
    }
    e.put("tags", tags);
    e.put("note", r.nextInt(10) == 0 ? "note number " + r.nextInt(5000) : null);
    List<Object> points = new ArrayList<>();
    Schema point = s.getField("pts").schema().getElementType();
    for (int n = r.nextInt(3); n > 0; n--) {
      GenericData.Record p = new GenericData.Record(point);
      p.put("x", r.nextInt(1000) / 8d);
      p.put("ok", r.nextBoolean());
      points.add(p);
    }
    e.put("pts", points);
    return e;
  }
}
