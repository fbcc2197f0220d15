package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;

/** Files of every layout: stripes, row groups, chunks, bloom filters, encryption, merged files. */
final class LayoutFixtures {
  private LayoutFixtures() {}

  static void write(Fixtures to) throws IOException {
    strides(to);
    blooms(to);
    repeats(to);
    encrypted(to);
    merged(to);
  }

  private static void strides(Fixtures to) throws IOException {
    String schema = "struct<a__signs__r10:int,b__dict__runs:string,c__dict:string,d__near2015__r10:timestamp,"
        + "e__small__r10:decimal(20,4),f__runs__r10:boolean,g__small__r50:array<tinyint>,"
        + "h__small__r10:uniontype<tinyint,boolean>,i__finite:float,j__runs__r10:tinyint>";
    for (CompressionKind k : new CompressionKind[] {CompressionKind.NONE, CompressionKind.ZSTD}) {
      to.add("strides-" + k.name().toLowerCase(), "row groups of 1000 rows, with and without nulls, in two stripes",
          new Spec(schema).rows(2200).stripeRows(2050).codec(k).block(1024).direct("c__dict"));
    }
    to.add("no-index", "no row index", new Spec("struct<a__mix__r10:int,b__dict__runs:string>").rows(1300).stride(0));
    for (int b : new int[] {256, 1024, 64 << 10, 1 << 20}) {
      to.add("block-" + b, "chunks of " + b + " bytes",
          new Spec("struct<a__extremes:bigint,b__const:bigint,c__direct:string,d__small:int>").rows(200).block(b));
    }
    to.add("many-stripes", "40 stripes", new Spec("struct<a__mono:int,b__dict:string>").rows(1000).stripeRows(25));
    to.add("pruning", "6000 rows in two stripes and 6 row groups, sorted and not, for predicates and seeks",
        new Spec("struct<id__mono:bigint,day__days:date,at__seq:timestamp,city__dict__r10:string,name__seq:string,"
            + "group__days:int,amount__small:decimal(12,2),flag__runs:boolean,score__finite__first:double,"
            + "tags__dict__r99:array<string>,place__saw__r10:struct<x:tinyint,y:smallint>>")
            .rows(6000).stripeRows(3000).codec(CompressionKind.ZSTD).block(16 << 10)
            .bloom("id__mono,city__dict__r10", 0.2, OrcFile.BloomFilterVersion.UTF8));
  }

  private static void blooms(Fixtures to) throws IOException {
    String schema = "struct<a__dictskew:string,b__dict__r10:string,c__saw:bigint,d__small:int,e__finite:double,"
        + "f__finite__r10:float,g__small:decimal(12,2),h__seq:timestamp,i__days:date,j__dict:char(5),k__mono:smallint,"
        + "l__runs:tinyint,m__dict__r50:binary,n__seq__r10:timestamp with local time zone,o__seq:varchar(20)>";
    String columns = schema.replaceAll("struct<|(:(timestamp with local time zone|[a-z]+)(\\([0-9,]+\\))?>?)", "");
    for (OrcFile.BloomFilterVersion v : OrcFile.BloomFilterVersion.values()) {
      to.add("bloom-" + v, "bloom filters of the " + v + " kind on every column; two stripes, three row groups",
          new Spec(schema).rows(1250).stripeRows(1100).zone("America/Los_Angeles").bloom(columns, 0.5, v));
    }
  }

  private static void repeats(Fixtures to) throws IOException {
    String schema = "struct<bo__runs__r10:boolean,ti__small__r10:tinyint,sm__small:smallint,i__small__r10:int,l__small__r50:bigint,"
        + "huge__extremes__r10:bigint,f__price__r10:float,d__price__r10:double,s__dict__r10:string,"
        + "vc__dict__r10:varchar(7),ch__dict__r10:char(5),bi__dict__r10:binary,ts__days__r10:timestamp,"
        + "tz__days__r10:timestamp with local time zone,da__days__r10:date,de__price__r10:decimal(9,2),"
        + "de18__small__r10:decimal(18,4),de38__small__r10:decimal(38,10),li__small__r10:array<double>,"
        + "ma__small__r10:map<int,decimal(20,3)>,st__price__r10:struct<x:double,y:decimal(20,3)>,un__small__r10:uniontype<double,decimal(9,2)>>";
    to.add("repeats", "vectors that repeat a value or null, in three row groups and two stripes",
        new Spec(schema).rows(1060).stripeRows(1030).decimal64(true).repeats(true)
            .bloom("bo__runs__r10,ti__small__r10,d__price__r10,s__dict__r10,ch__dict__r10,ts__days__r10,de__price__r10", 0.5,
                OrcFile.BloomFilterVersion.UTF8));
  }

  private static void encrypted(Fixtures to) throws IOException {
    String schema = "struct<id__mono:int,name__dict__r10:string,ssn__seq:string,card__mix__r10:bigint,"
        + "addr__mix:struct<street__dict:string,zip__small:int>,tags__dict:array<string>,amt__price:decimal(12,2),"
        + "ts__mix:timestamp>";
    String[][] columns = {
      {"pii:ssn__seq;credit:card__mix__r10", null, "two keys, nullified without them"},
      {"pii:ssn__seq,name__dict__r10,addr__mix;credit:card__mix__r10", "redact:card__mix__r10;sha256:name__dict__r10",
          "two keys, a struct, masks"},
      {"pii:tags__dict", null, "a list"},
    };
    for (int i = 0; i < columns.length; i++) {
      for (CompressionKind k : new CompressionKind[] {CompressionKind.NONE, CompressionKind.ZLIB}) {
        if (i == 2 && k == CompressionKind.NONE) {
          continue;
        }
        to.add("encrypted-" + i + "-" + k.name().toLowerCase(), "encrypted columns: " + columns[i][2] + "; three stripes",
            new Spec(schema).rows(100).stripeRows(40).codec(k).encrypt(columns[i][0], columns[i][1]));
      }
    }
    to.add("encrypted-strides", "encrypted columns with row groups and chunks",
        new Spec("struct<id__mono:int,ssn__seq:string,city__dict__r10:string>").rows(1300).stripeRows(1150).block(1024)
            .encrypt("pii:ssn__seq;credit:city__dict__r10", null));
  }

  private static void merged(Fixtures to) throws IOException {
    File f = to.file("merged", "stripes of three files put together without reading them", "");
    List<Path> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      File part = new File(f.getParent(), "merge-part-" + i + ".orc");
      new Spec("struct<a__mono:int,b__dict__r10:string>").rows(60 + i).seed(i).write(part);
      parts.add(OrcFiles.path(part));
    }
    OrcFile.mergeFiles(OrcFiles.path(f), OrcFile.writerOptions(OrcFiles.configuration()).overwrite(true), parts);
    for (Path p : parts) {
      Files.delete(new File(p.toUri()).toPath());
    }
    Main.expect(f, false);
  }
}
