package arrowio.orcjudge;

import java.io.IOException;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;

/** Files of each type: its encodings in both versions, and values of every kind. */
final class TypeFixtures {
  /** A column of every type. */
  static final String ALL =
      "struct<bo__mix__r10:boolean,ti__mix__r10:tinyint,sm__mix__runs:smallint,i__mix__r10:int,l__mix__r50:bigint,"
          + "f__mix__r10:float,d__mix__r10:double,s__dict__r10:string,s2__direct__r10:string,bi__mix__r10:binary,"
          + "ts__mix__r10:timestamp,tz__mix__r10:timestamp with local time zone,da__mix__r10:date,"
          + "d1__mix__r10:decimal(9,2),d2__mix__r10:decimal(38,10),vc__mix__r10:varchar(7),ch__mix__r10:char(9),"
          + "li__mix__r10:array<int>,ma__mix__r10:map<string,bigint>,st__mix__r10:struct<a:int,b:string>,"
          + "un__mix__r10:uniontype<int,string,double>>";

  private static final String[] INTEGER_TYPES = {"tinyint", "smallint", "int", "bigint"};

  private TypeFixtures() {}

  static void write(Fixtures to) throws IOException {
    for (String v : Fixtures.VERSIONS) {
      for (CompressionKind k : CompressionKind.values()) {
        to.add("all-" + k.name().toLowerCase() + "-" + v, "every type, compressed with " + k,
            new Spec(ALL).rows(25).codec(k).version(Fixtures.version(v)).block(2048));
      }
      integers(to, v);
      texts(to, v);
      numbers(to, v);
      times(to, v);
    }
    zones(to);
  }

  private static void integers(Fixtures to, String v) throws IOException {
    for (String t : INTEGER_TYPES) {
      to.add("ints-" + t + "-" + v, "runs of every kind, with and without nulls",
          new Spec(columns(t, Profiles.INTEGERS, "none", "r10")).rows(400).version(Fixtures.version(v)));
    }
    for (OrcFile.EncodingStrategy s : OrcFile.EncodingStrategy.values()) {
      if (v.equals("v11") && s != OrcFile.EncodingStrategy.SPEED) {
        continue; // there are no widths to choose
      }
      to.add("widths-" + s.name().toLowerCase() + "-" + v, "values of 1 to 64 bits",
          new Spec("struct<a__widths:bigint,b__widths:int,c__widths:smallint>").rows(2050)
              .version(Fixtures.version(v)).strategy(s));
    }
    to.add("patched-" + v, "few values far from the others, more than a patch list entry between them",
        new Spec(columns("bigint", new String[] {"outlier", "negoutlier", "wideoutlier", "gapoutlier"}, "none"))
            .rows(2100).version(Fixtures.version(v)).codec(CompressionKind.NONE));
  }

  /** A column for each profile, whose patterns of nulls take turns. */
  private static String columns(String type, String[] profiles, String... nulls) {
    StringBuilder b = new StringBuilder("struct<");
    for (int i = 0; i < profiles.length; i++) {
      b.append(i > 0 ? "," : "").append("c").append(i).append("__").append(profiles[i]).append("__")
          .append(nulls[i % nulls.length]).append(':').append(type);
    }
    return b.append('>').toString();
  }

  private static void texts(Fixtures to, String v) throws IOException {
    to.add("strings-" + v, "string, varchar and char: dictionaries, direct, empty, Unicode; two stripes",
        new Spec("struct<a__const:string,b__empty:string,c__dict__r10:string,d__dictunicode:string,"
            + "e__dictskew__runs:string,f__unicode__r10:string,g__mix__r50:string,h__seq:string,i__empty__all:string,"
            + "j__mix:varchar(5),k__dict:char(6),l__unicode:char(3),m__unicode:varchar(2),n__empty__alternate:string>")
            .rows(400).stripeRows(200).version(Fixtures.version(v)));
    to.add("strings-direct-" + v, "strings and bytes that no dictionary pays for",
        new Spec("struct<a__direct:string,b__lengths__r10:string,c__direct__r10:binary,d__empty:binary,"
            + "e__mix__all:binary>").rows(200).version(Fixtures.version(v)).codec(CompressionKind.SNAPPY));
    to.add("strings-forced-direct-" + v, "columns with few values, written direct because the writer was told to",
        new Spec("struct<a__dict:string,b__empty:string,c__dict__r10:string>").rows(500)
            .version(Fixtures.version(v)).direct("a__dict,c__dict__r10"));
    to.add("strings-dictionary-" + v, "dictionaries of values that all differ, of none, of the empty string; two stripes",
        new Spec("struct<a__seq:string,b__unicode__r10:string,c__empty__all:string,d__empty:string>").rows(400)
            .stripeRows(250).version(Fixtures.version(v)).set("orc.dictionary.key.threshold", "1.0")
            .set("orc.dictionary.early.check", "false"));
  }

  private static void numbers(Fixtures to, String v) throws IOException {
    to.add("floats-" + v, "floats and doubles: NaN with payloads, infinities, -0, subnormal",
        new Spec("struct<a__mix:float,b__special__r10:float,c__const:float,d__mix:double,e__special__runs:double,"
            + "f__price:double,g__finite:double>").rows(240).version(Fixtures.version(v)));
    to.add("bools-" + v, "booleans: constant, alternating, runs, random; nulls; two stripes",
        new Spec("struct<a__const:boolean,b__zero:boolean,c__alternate:boolean,d__runs:boolean,e__mix:boolean,"
            + "f__mix__r50:boolean,g__runs__alternate:boolean,h__mix__all:boolean>").rows(1501).stripeRows(1000)
            .version(Fixtures.version(v)));
    StringBuilder b = new StringBuilder("struct<");
    for (int[] p : new int[][] {{1, 0}, {4, 2}, {9, 2}, {10, 10}, {18, 0}, {18, 6}, {19, 19}, {28, 8}, {38, 0},
        {38, 18}, {38, 38}}) {
      String ps = p[0] + "_" + p[1];
      String t = ":decimal(" + p[0] + "," + p[1] + ")";
      b.append(b.length() > 7 ? "," : "").append("p").append(ps).append("__mix__r10").append(t)
          .append(",m").append(ps).append("__most").append(t);
    }
    to.add("decimals-" + v, "precisions 1 to 38, values of every size and scale",
        new Spec(b.append('>').toString()).rows(120).version(Fixtures.version(v)));
    to.add("decimals-64-" + v, "decimals that the writer got as 64-bit integers: no zeros are dropped",
        new Spec("struct<a__mix__r10:decimal(18,4),b__price:decimal(15,2),c__most:decimal(18,18),d__small:decimal(3,1)>")
            .rows(300).version(Fixtures.version(v)).decimal64(true));
  }

  private static void times(Fixtures to, String v) throws IOException {
    to.add("times-" + v, "timestamps near 1970 and 2015, before, ordered; fractions of every length",
        new Spec("struct<a__pre1970:timestamp,b__near0__r10:timestamp,c__near2015:timestamp,e__seq:timestamp,"
            + "f__mix__r50:timestamp,g__near0:timestamp with local time zone>").rows(220).version(Fixtures.version(v)));
    to.add("times-far-" + v, "timestamps up to the year 9892", Fixtures.MICROSECONDS,
        new Spec("struct<a__far:timestamp,b__far__r10:timestamp with local time zone>").rows(150)
            .version(Fixtures.version(v)));
    to.add("dates-" + v, "days around 1970, ordered, far",
        new Spec("struct<a__mix:date,b__seq:date,c__far:date,d__mix__r10:date>").rows(260).version(Fixtures.version(v)));
  }

  private static void zones(Fixtures to) throws IOException {
    String schema = "struct<a__dst:timestamp,b__dst__r10:timestamp with local time zone,c__near2015:timestamp,"
        + "d__pre1970:timestamp>";
    for (String z : new String[] {"UTC", "America/Los_Angeles", "Asia/Shanghai", "Australia/Lord_Howe",
        "Europe/Berlin", "US/Pacific", "Asia/Kolkata"}) {
      to.add("zone-" + z.replaceAll("[/_]", "-").toLowerCase(), "written in " + z + ", near its changes of clocks",
          new Spec(schema).rows(130).zone(z));
    }
    to.add("zone-america-los-angeles-v11", "the same in version 0.11",
        new Spec(schema).rows(130).zone("America/Los_Angeles").version(OrcFile.Version.V_0_11));
    to.add("zone-utc-by-option", "written in America/Chicago by a writer told to count in UTC",
        new Spec("struct<a__dst:timestamp,b__near0:timestamp>").rows(130).zone("America/Chicago").utcTimestamps(true));
    for (boolean p : new boolean[] {false, true}) {
      to.add("calendar-" + (p ? "proleptic" : "hybrid"), "days and seconds from the year 1 to the change of calendars",
          Fixtures.MICROSECONDS,
          new Spec("struct<a__cutover:timestamp,b__ancient:timestamp,c__cutover:date,d__ancient:date,"
              + "e__cutover:timestamp with local time zone>").rows(130).proleptic(p));
    }
    to.add("geometry", "geometry and geography as well-known binary",
        new Spec(TypeDescription.createStruct()
            .addField("id__mono", TypeDescription.createInt())
            .addField("g__mix__r10", TypeDescription.createGeometry())
            .addField("h__mix__r10", TypeDescription.createGeography())).rows(100));
  }
}
