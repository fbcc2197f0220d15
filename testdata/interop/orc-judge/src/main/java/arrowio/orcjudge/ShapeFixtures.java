package arrowio.orcjudge;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.orc.CompressionKind;
import org.apache.orc.TypeDescription;

/** Files of every shape: nulls, nesting, roots, names, no rows, many columns. */
final class ShapeFixtures {
  private ShapeFixtures() {}

  static void write(Fixtures to) throws IOException {
    nulls(to);
    nested(to);
    roots(to);
    sizes(to);
    names(to);
  }

  private static void nulls(Fixtures to) throws IOException {
    String schema = "struct<i__small__N:int,s__dict__N:string,t__empty__N:string,d__price__N:double,ts__seq__N:timestamp,"
        + "de__small__N:decimal(9,2),b__runs__N:boolean,y__runs__N:tinyint,l__const__N:array<int>,"
        + "m__const__N:map<int,string>,st__const__N:struct<x__small__N:int,y__small__r50:int>,"
        + "u__const__N:uniontype<int,string>>";
    Map<String, String> shows = new TreeMap<>(Map.of(
        "all", "nothing but nulls",
        "alternate", "every other value is null",
        "first", "the first half is null",
        "last", "the last half is null",
        "runs", "nulls in runs",
        "lone", "one null",
        "r99", "one value in a hundred is none",
        "stripe2", "only the second stripe has nulls"));
    for (Map.Entry<String, String> e : shows.entrySet()) {
      String n = e.getKey();
      for (String v : Fixtures.VERSIONS) {
        if (v.equals("v11") && !n.equals("stripe2") && !n.equals("all")) {
          continue;
        }
        boolean stripe2 = n.equals("stripe2");
        to.add("nulls-" + n + "-" + v, e.getValue(),
            new Spec(schema.replace("__N", "__" + n)).rows(stripe2 ? 330 : 300).stripeRows(stripe2 ? 110 : 0)
                .version(Fixtures.version(v)).codec(v.equals("v11") ? CompressionKind.NONE : CompressionKind.ZLIB));
      }
    }
  }

  private static void nested(Fixtures to) throws IOException {
    for (String v : Fixtures.VERSIONS) {
      to.add("nested-" + v, "lists, maps, structs and unions in each other; two stripes",
          new Spec("struct<a__lengths__r10:array<array<int>>,"
              + "b__mix__r10:map<string,array<struct<p:int,q:string,r:map<int,double>>>>,"
              + "c__mix__r50:struct<x:struct<y:struct<z:int,w:array<string>>>>,"
              + "d__mix__r10:array<uniontype<int,array<string>,struct<k:bigint>>>,e__empty:array<string>,"
              + "f__mix__all:array<int>,g__mix__r10:uniontype<map<string,int>,timestamp,decimal(20,3)>>")
              .rows(90).stripeRows(50).version(Fixtures.version(v)));
    }
    to.add("union-100", "a union of a hundred", new Spec(wideUnion(100)).rows(450));
    String deep = "int";
    for (int i = 0; i < 12; i++) {
      deep = i % 3 != 0 ? "struct<f:" + deep + ">" : "array<" + deep + ">";
    }
    to.add("deep-12", "twelve levels", new Spec("struct<x__mix__r10:" + deep + ">").rows(90));
    deep = "int";
    for (int i = 0; i < 40; i++) {
      deep = i % 2 == 0 ? "struct<f:" + deep + ">" : "array<" + deep + ">";
    }
    to.add("deep-40-empty", "forty levels, no rows", new Spec("struct<x__const:" + deep + ">").rows(0));
    to.add("map-null-keys", "maps with null keys", "orc-null-keys=list",
        new Spec("struct<a__nullkeys__r10:map<int,string>,b__mono:int>").rows(100));
    to.add("acid-base", "the columns of a table with transactions",
        new Spec("struct<operation__zero:int,originalTransaction__const:bigint,bucket__const:int,rowId__mono:bigint,"
            + "currentTransaction__const:bigint,row__mix:struct<a__mix:int,b__dict__r10:string>>").rows(200));
  }

  private static String wideUnion(int n) {
    StringBuilder b = new StringBuilder("struct<u__mix:uniontype<");
    for (int i = 0; i < n; i++) {
      b.append(i > 0 ? "," : "").append(i % 2 == 0 ? "int" : "string");
    }
    return b.append(">>").toString();
  }

  private static void roots(Fixtures to) throws IOException {
    for (String t : new String[] {"int", "string", "timestamp", "array<string>", "map<int,string>",
        "uniontype<int,string>"}) {
      to.add("root-" + t.replaceAll("[^a-z].*", ""), "the root is no struct", new Spec(t).rows(70));
    }
    to.add("empty-struct", "ten rows of no columns", new Spec("struct<>").rows(10));
  }

  private static void sizes(Fixtures to) throws IOException {
    to.add("zero-rows", "no rows, every type", new Spec(TypeFixtures.ALL).rows(0));
    to.add("zero-rows-none", "no rows, no compression", new Spec("struct<a:int,b:array<string>>").rows(0)
        .codec(CompressionKind.NONE));
    to.add("one-row", "one row, every type", new Spec(TypeFixtures.ALL).rows(1));
    // What is damaged and rewritten elsewhere; small, because there will be many.
    for (CompressionKind k : new CompressionKind[] {CompressionKind.NONE, CompressionKind.ZLIB}) {
      String c = k.name().toLowerCase();
      to.add("tiny-" + c, "two columns, two stripes",
          new Spec("struct<a__signs__r10:int,b__dict:string>").rows(24).stripeRows(13).codec(k));
      to.add("small-" + c, "many types, two stripes",
          new Spec("struct<a__mix__r10:bigint,b__dict__r10:string,c__direct:string,d__price:decimal(9,2),"
              + "e__near2015:timestamp,f__small:array<int>,g__mix:uniontype<int,string>,h__mix:boolean,"
              + "i__const:map<int,tinyint>,j__price:double,k__mix:tinyint>").rows(30).stripeRows(20).codec(k));
    }
    StringBuilder b = new StringBuilder("struct<");
    String[] types = {"int", "string", "double", "decimal(10,2)"};
    for (int i = 0; i < 300; i++) {
      b.append(i > 0 ? "," : "").append("c").append(i).append("__small__r10:").append(types[i % types.length]);
    }
    to.add("wide", "300 columns", new Spec(b.append('>').toString()).rows(7));
    to.add("long-statistics", "strings too long for statistics, which get bounds; two stripes",
        new Spec("struct<a__long__r10:string,b__dict:string,c__small:int>").rows(80).stripeRows(40));
    to.add("huge-values", "strings longer than a compression chunk",
        new Spec("struct<a__huge:string,b__small:int,c__hugezip__r10:string>").rows(64).block(4096)
            .codec(CompressionKind.ZSTD));
    to.add("huge-dictionary", "a dictionary longer than a compression chunk",
        new Spec("struct<a__hugezip__r10:string,b__const:binary>").rows(200)
            .set("orc.dictionary.key.threshold", "1.0"));
  }

  /**
   * The types that Paimon makes of (id BIGINT, name STRING, tags ARRAY&lt;STRING>, props MAP&lt;STRING, INT>, at ROW&lt;x DOUBLE, y DOUBLE>)
   * with the ids 0 to 6: those of what has no field are counted from a quarter of the integers, keys downwards.
   */
  private static TypeDescription paimon() {
    int base = Integer.MAX_VALUE / 4;
    return TypeDescription.createStruct()
        .addField("id", numbered(TypeDescription.createLong(), 0))
        .addField("name", numbered(TypeDescription.createString(), 1))
        .addField("tags", numbered(TypeDescription.createList(numbered(TypeDescription.createString(), base + 2 * 1024 + 1)), 2))
        .addField("props", numbered(
            TypeDescription.createMap(numbered(TypeDescription.createString(), base - 3 * 1024 - 1),
                numbered(TypeDescription.createInt(), base + 3 * 1024 + 1)), 3))
        .addField("at", numbered(
            TypeDescription.createStruct().addField("x", numbered(TypeDescription.createDouble(), 5))
                .addField("y", numbered(TypeDescription.createDouble(), 6)), 4));
  }

  private static TypeDescription numbered(TypeDescription t, int id) {
    return t.setAttribute("paimon.id", String.valueOf(id));
  }

  private static void names(Fixtures to) throws IOException {
    TypeDescription t = TypeDescription.createStruct()
        .addField("a.b", TypeDescription.createInt())
        .addField("sp ace", TypeDescription.createString())
        .addField("naïve☃", TypeDescription.createLong())
        .addField("plain", TypeDescription.createDouble())
        .addField("`tick`", TypeDescription.createInt())
        .addField("A.B", TypeDescription.createInt());
    t.getChildren().get(0).setAttribute("iceberg.id", "7");
    t.getChildren().get(0).setAttribute("iceberg.required", "true");
    to.add("names-attributes", "odd names of columns, and attributes of types", new Spec(t).rows(50));
    to.add("paimon-ids", "field ids as Paimon keeps them, elements, keys and values too", new Spec(paimon()).rows(40));
    to.add("user-metadata", "metadata: bytes, 30 kB, an empty key, a key beyond ASCII",
        new Spec("struct<a:int>").rows(5)
            .metadata("lab.key", new byte[] {0, 1, (byte) 0xff, (byte) 0x80})
            .metadata("lab.long", new byte[30000])
            .metadata("", new byte[0])
            .metadata("clé", "valeur".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }
}
