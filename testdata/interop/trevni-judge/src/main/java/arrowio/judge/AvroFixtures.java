package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.avro.AvroColumnWriter;

/** Files of the record writer: Avro data shredded into columns. */
final class AvroFixtures {
  private AvroFixtures() {}

  static void write(Fixtures to) throws IOException {
    shape(to, "avro-primitives", "every primitive Avro type", 60, "snappy", record("P", """
        {"name":"n","type":"null"},{"name":"b","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":"long"},
        {"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},{"name":"y","type":"bytes"}"""));
    shape(to, "avro-optional", "optional fields, null first and null last; [null] and [int] alone", 120, "deflate", record("O", """
        {"name":"a","type":["null","int"]},{"name":"b","type":["string","null"]},{"name":"c","type":["null"]},
        {"name":"d","type":["int"]},{"name":"e","type":["null","boolean"]},
        {"name":"r","type":["null",{"type":"record","name":"In","fields":[{"name":"x","type":"long"},{"name":"y","type":["null","double"]}]}]},
        {"name":"l","type":[{"type":"array","items":"string"},"null"]},{"name":"m","type":["null",{"type":"map","values":"int"}]}"""));
    shape(to, "avro-union", "unions of primitives, named and unnamed types", 150, "snappy", record("U", """
        {"name":"u","type":["null","boolean","int","long","string","bytes",{"type":"enum","name":"E","symbols":["A","B"]},
         {"type":"fixed","name":"F","size":3},{"type":"array","items":"int"},{"type":"map","values":"string"}]},
        {"name":"v","type":["int","string"]}"""));
    shape(to, "avro-union-records", "a union of records, one of them in a namespace, one without fields", 120, "deflate", record("UR", """
        {"name":"u","type":[{"type":"record","name":"geo.Point","fields":[{"name":"x","type":"double"},{"name":"y","type":"double"}]},
         {"type":"record","name":"Text","fields":[{"name":"t","type":"string"},{"name":"tags","type":{"type":"array","items":"string"}}]},
         "null",{"type":"record","name":"Nothing","fields":[]}]},
        {"name":"list","type":{"type":"array","items":["null","geo.Point","long"]}}"""));
    shape(to, "avro-enum-fixed", "enums and fixeds, arrays and maps of them, optional ones", 90, "deflate", record("EF", """
        {"name":"e","type":{"type":"enum","name":"Suit","namespace":"cards","symbols":["SPADES","HEARTS","DIAMONDS","CLUBS"]}},
        {"name":"f","type":{"type":"fixed","name":"Md5","size":16}},{"name":"ea","type":{"type":"array","items":"cards.Suit"}},
        {"name":"fa","type":{"type":"array","items":"Md5"}},{"name":"em","type":{"type":"map","values":"cards.Suit"}},
        {"name":"eo","type":["null","cards.Suit"]},{"name":"fo","type":["Md5","null"]}"""));
    shape(to, "avro-nested", "records in records, one type used twice", 80, "snappy", record("N", """
        {"name":"a","type":{"type":"record","name":"A","fields":[{"name":"b","type":{"type":"record","name":"B","fields":[
         {"name":"c","type":"int"},{"name":"d","type":"string"}]}},{"name":"e","type":"long"}]}},
        {"name":"again","type":"A"},{"name":"b","type":"B"}"""));
    shape(to, "avro-arrays", "arrays of primitives, records, arrays, maps, unions, nulls", 80, "deflate", record("Ar", """
        {"name":"l","type":{"type":"array","items":"long"}},
        {"name":"r","type":{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"x","type":"int"},{"name":"s","type":{"type":"array","items":"string"}}]}}},
        {"name":"aa","type":{"type":"array","items":{"type":"array","items":{"type":"array","items":"int"}}}},
        {"name":"am","type":{"type":"array","items":{"type":"map","values":"double"}}},
        {"name":"au","type":{"type":"array","items":["null","int","string"]}},{"name":"an","type":{"type":"array","items":"null"}},
        {"name":"ao","type":{"type":"array","items":["null","boolean"]}}"""));
    shape(to, "avro-maps", "maps of primitives, records, maps, arrays, optionals", 80, "snappy", record("M", """
        {"name":"i","type":{"type":"map","values":"int"}},
        {"name":"r","type":{"type":"map","values":{"type":"record","name":"V","fields":[{"name":"x","type":"int"},{"name":"y","type":"string"}]}}},
        {"name":"m","type":{"type":"map","values":{"type":"map","values":"boolean"}}},
        {"name":"a","type":{"type":"map","values":{"type":"array","items":"string"}}},
        {"name":"o","type":{"type":"map","values":["null","long"]}}"""));
    shape(to, "avro-empty-record", "records without fields: alone, in an array, optional", 40, "null", record("Em", """
        {"name":"e","type":{"type":"record","name":"Z","fields":[]}},{"name":"a","type":{"type":"array","items":"Z"}},
        {"name":"o","type":["null","Z"]},{"name":"i","type":"int"}"""));
    shape(to, "avro-only-empty-record", "a top record without fields: no column", 3, "null", record("Z0", ""));
    shape(to, "avro-names", "fields in a namespace, aliases, docs, defaults, properties", 20, "deflate",
        "{\"type\":\"record\",\"name\":\"Full\",\"namespace\":\"a.b\",\"doc\":\"top\",\"aliases\":[\"Old\"],\"owner\":\"me\",\"fields\":["
            + "{\"name\":\"x\",\"type\":\"int\",\"doc\":\"an int\",\"default\":7,\"aliases\":[\"ex\"],\"unit\":\"ms\"},"
            + "{\"name\":\"_y9\",\"type\":[\"null\",{\"type\":\"enum\",\"name\":\"c.Q\",\"symbols\":[\"a\",\"B_1\"]}],\"default\":null},"
            + "{\"name\":\"key\",\"type\":{\"type\":\"string\",\"avro.java.string\":\"String\"}}]}");
    shape(to, "avro-rows0", "no rows", 0, "deflate", record("R0", """
        {"name":"i","type":"int"},{"name":"a","type":{"type":"array","items":"string"}}"""));
    shape(to, "avro-rows1", "one row", 1, "deflate", record("R1", """
        {"name":"i","type":"int"},{"name":"a","type":{"type":"array","items":"string"}},{"name":"o","type":["null","double"]}"""));
    described(to);
    logical(to);
    topLevel(to);
    blocks(to);
    for (int i = 0; i < 12; i++) {
      RandomAvro r = new RandomAvro(100 + i);
      String codec = new String[] {"null", "deflate", "snappy", "bzip2"}[i % 4];
      file(to.add("avro-random-" + i, "random schema and data"), r.record(3), 40, codec, i % 4 == 0 || i % 3 == 0 ? null : "crc32",
          r::datum);
    }
  }

  /** Schemas as avro-protobuf and avro-thrift make them of messages and structs. */
  private static void described(Fixtures to) throws IOException {
    String string = "{\"type\":\"string\",\"avro.java.string\":\"String\"}";
    shape(to, "avro-from-protobuf", "the schema that avro-protobuf makes of a message", 50,
        "snappy", """
        {"type":"record","name":"Order","namespace":"com.example.Shop","fields":[
         {"name":"id","type":"long","default":0},{"name":"count","type":"int","default":0},{"name":"paid","type":"boolean","default":false},
         {"name":"price","type":"double","default":0},{"name":"weight","type":"float","default":0},
         {"name":"customer","type":STRING,"default":""},{"name":"token","type":"bytes","default":""},
         {"name":"state","type":{"type":"enum","name":"State","namespace":"com.example.Shop","symbols":["NEW","SENT"]},"default":"NEW"},
         {"name":"address","type":["null",{"type":"record","name":"Address","namespace":"com.example.Shop","fields":[
           {"name":"street","type":STRING,"default":""},{"name":"zip","type":"int","default":0}]}],"default":null},
         {"name":"item","type":{"type":"array","items":{"type":"record","name":"Item","namespace":"com.example.Shop","fields":[
           {"name":"sku","type":STRING,"default":""},{"name":"n","type":"int","default":0}]}}},
         {"name":"tag","type":{"type":"array","items":STRING}},
         {"name":"attribute","type":{"type":"array","items":{"type":"record","name":"AttributeEntry","namespace":"com.example.Shop","fields":[
           {"name":"key","type":STRING,"default":""},{"name":"value","type":"long","default":0}]}}}]}""".replace("STRING", string));
    shape(to, "avro-from-thrift", "the schema that avro-thrift makes of a struct", 50, "deflate", """
        {"type":"record","name":"Order","namespace":"com.example","fields":[
         {"name":"id","type":"long"},{"name":"kind","type":{"type":"int","thrift":"byte"}},{"name":"count","type":{"type":"int","thrift":"short"}},
         {"name":"price","type":"double"},{"name":"paid","type":"boolean"},{"name":"maybe","type":["null","int"]},
         {"name":"customer","type":["null",STRING]},{"name":"token","type":["null","bytes"]},
         {"name":"state","type":["null",{"type":"enum","name":"State","symbols":["NEW","SENT"]}]},
         {"name":"address","type":["null",{"type":"record","name":"Address","fields":[
           {"name":"street","type":["null",STRING]},{"name":"zip","type":"int"}]}]},
         {"name":"tags","type":["null",{"type":"array","items":["null",STRING],"thrift":"set"}]},
         {"name":"items","type":["null",{"type":"array","items":["null","Address"]}]},
         {"name":"attributes","type":["null",{"type":"map","values":["null",STRING],"avro.java.string":"String"}]}]}"""
        .replace("STRING", string));
  }

  private static String record(String name, String fields) {
    return "{\"type\":\"record\",\"name\":\"" + name + "\",\"fields\":[" + fields + "]}";
  }

  /** Makes the next datum of a schema. */
  @FunctionalInterface
  interface Data {
    Object of(Schema s);
  }

  private static void shape(Fixtures to, String name, String shows, int rows, String codec, String schema) throws IOException {
    RandomAvro random = new RandomAvro(name.hashCode());
    file(to.add(name, shows), new Schema.Parser().parse(schema), rows, codec, codec.equals("null") ? null : "crc32", random::datum);
  }

  /** Writes a file and has the reader confirm, datum by datum, that it holds what was written. */
  static void file(File f, Schema s, int rows, String codec, String checksum, Data data) throws IOException {
    ColumnFileMetaData meta = new ColumnFileMetaData().setCodec(codec);
    if (checksum != null) {
      meta.setChecksum(checksum);
    }
    AvroColumnWriter<Object> w = new AvroColumnWriter<>(s, meta);
    List<String> written = new ArrayList<>(rows);
    for (int i = 0; i < rows; i++) {
      Object d = data.of(s);
      StringBuilder b = new StringBuilder();
      AvroText.datum(b, d, s);
      written.add(b.toString());
      w.write(d);
    }
    w.writeTo(f);
    Iterator<String> want = written.iterator();
    boolean[] header = {true};
    AvroText.print(f, line -> {
      if (header[0]) {
        header[0] = false;
      } else if (!want.next().contentEquals(line)) {
        throw new IOException(f + ": the reader does not give back what was written: " + line);
      }
    });
  }

  private static void logical(Fixtures to) throws IOException {
    String[][] types = {
      {"date", "int", "date"}, {"tms", "int", "time-millis"}, {"tus", "long", "time-micros"},
      {"tsms", "long", "timestamp-millis"}, {"tsus", "long", "timestamp-micros"},
      {"ltsms", "long", "local-timestamp-millis"}, {"ltsus", "long", "local-timestamp-micros"}, {"id", "string", "uuid"},
    };
    StringBuilder fields = new StringBuilder();
    for (String[] t : types) {
      fields.append(String.format("{\"name\":\"%s\",\"type\":{\"type\":\"%s\",\"logicalType\":\"%s\"}},", t[0], t[1], t[2]));
      fields.append(String.format("{\"name\":\"%s_opt\",\"type\":[\"null\",{\"type\":\"%s\",\"logicalType\":\"%s\"}]},", t[0], t[1], t[2]));
    }
    fields.append("""
        {"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
        {"name":"dec38","type":{"type":"bytes","logicalType":"decimal","precision":38,"scale":10}},
        {"name":"dec60","type":{"type":"bytes","logicalType":"decimal","precision":60}},
        {"name":"fdec","type":{"type":"fixed","name":"D8","size":8,"logicalType":"decimal","precision":18,"scale":4}},
        {"name":"decs","type":{"type":"array","items":{"type":"bytes","logicalType":"decimal","precision":5,"scale":1}}},
        {"name":"odec","type":["null","D8"]},
        {"name":"unknown","type":{"type":"int","logicalType":"no-such-type"}}""");
    RandomData r = new RandomData(6);
    file(to.add("avro-logical", "logical types, plain and optional; decimals on bytes and fixed; an unknown one"),
        new Schema.Parser().parse(record("L", fields.toString())), 60, "deflate", "crc32", s -> logicalRow(s, r));
  }

  private static Object logicalRow(Schema s, RandomData r) {
    GenericData.Record o = new GenericData.Record(s);
    for (Schema.Field f : s.getFields()) {
      o.put(f.pos(), logicalValue(f.schema(), r));
    }
    return o;
  }

  private static Object logicalValue(Schema s, RandomData r) {
    if (s.getType() == Schema.Type.UNION) {
      return r.random().nextInt(3) == 0 ? null : logicalValue(s.getTypes().get(1), r);
    }
    if (s.getType() == Schema.Type.ARRAY) {
      List<Object> list = new ArrayList<>();
      for (int n = r.random().nextInt(3); n > 0; n--) {
        list.add(logicalValue(s.getElementType(), r));
      }
      return list;
    }
    String logical = s.getProp("logicalType");
    switch (logical) {
      case "date":
        return r.random().nextInt(60_000) - 20_000;
      case "time-millis":
        return r.random().nextInt(86_400_000);
      case "time-micros":
        return Math.floorMod(r.random().nextLong(), 86_400_000_000L);
      case "uuid":
        return new java.util.UUID(r.random().nextLong(), r.random().nextLong()).toString();
      case "decimal": {
        int precision = ((Number) s.getObjectProp("precision")).intValue();
        java.math.BigInteger v = new java.math.BigInteger(precision * 3, r.random()); // below 10^precision
        byte[] b = (r.random().nextBoolean() ? v : v.negate()).toByteArray();
        if (s.getType() == Schema.Type.BYTES) {
          return ByteBuffer.wrap(b);
        }
        byte[] full = new byte[s.getFixedSize()];
        java.util.Arrays.fill(full, (byte) (b[0] >> 7));
        System.arraycopy(b, 0, full, full.length - b.length, b.length);
        return new GenericData.Fixed(s, full);
      }
      default: // timestamps within the reach of every unit, and an unknown type's int
        return s.getType() == Schema.Type.INT ? (Object) r.random().nextInt(1000) : (Object) (r.random().nextLong() >> 14);
    }
  }

  private static void topLevel(Fixtures to) throws IOException {
    String[][] tops = {
      {"int", "\"int\""}, {"string", "\"string\""}, {"null", "\"null\""},
      {"enum", "{\"type\":\"enum\",\"name\":\"x.y.Color\",\"symbols\":[\"RED\",\"GREEN\"]}"},
      {"fixed", "{\"type\":\"fixed\",\"name\":\"Four\",\"size\":4}"}, {"array", "{\"type\":\"array\",\"items\":\"long\"}"},
      {"map", "{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":\"int\"}}"}, {"optional", "[\"null\",\"double\"]"},
      {"union", "[\"int\",{\"type\":\"record\",\"name\":\"n.R\",\"fields\":[{\"name\":\"s\",\"type\":\"string\"}]},\"null\"]"},
    };
    for (String[] t : tops) {
      shape(to, "avro-top-" + t[0], "the top of the schema is not a record", 30, "snappy", t[1]);
    }
  }

  private static void blocks(Fixtures to) throws IOException {
    Schema s = new Schema.Parser().parse(record("Row", """
        {"name":"id","type":"long"},{"name":"name","type":"string"},{"name":"tags","type":{"type":"array","items":"string"}},
        {"name":"note","type":["null","string"]},{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["A","B","C"]}},
        {"name":"pts","type":{"type":"array","items":{"type":"record","name":"Pt","fields":[{"name":"x","type":"double"},{"name":"ok","type":"boolean"}]}}}"""));
    int[] next = {0};
    file(to.add("avro-blocks", "records whose columns have several blocks, edges not in line"), s, 6_000, "deflate", "crc32", x -> {
      int i = next[0]++;
      GenericData.Record r = new GenericData.Record(s);
      r.put("id", (1L << 50) + i);
      r.put("name", "a name of twenty-odd letters " + i % 1000);
      List<Object> tags = new ArrayList<>();
      for (int k = 0; k < i % 4; k++) {
        tags.add("a tag of many letters " + (i + k) % 9);
      }
      r.put("tags", tags);
      r.put("note", i % 6 == 0 ? "a remark on row " + i : null);
      r.put("kind", new GenericData.EnumSymbol(s.getField("kind").schema(), "ABC".substring(i % 3, i % 3 + 1)));
      List<Object> pts = new ArrayList<>();
      Schema pt = s.getField("pts").schema().getElementType();
      for (int k = 0; k < i % 5; k++) {
        GenericData.Record p = new GenericData.Record(pt);
        p.put("x", (i % 200 + k) / 8d);
        p.put("ok", (i + k) % 3 == 0);
        pts.add(p);
      }
      r.put("pts", pts);
      return r;
    });
  }
}
