package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;

/** Files of random schemas, data and settings of the writer, for comparisons that nothing was tuned to. */
final class RandomFiles {
  // Not Africa/Casablanca: beyond 2037 java.util.TimeZone does not know its changes of clocks, which the database has.
  private static final String[] ZONES = {
    "UTC", "GMT", "America/Los_Angeles", "Asia/Shanghai", "Australia/Lord_Howe", "Europe/Berlin", "America/New_York",
    "Asia/Kolkata", "US/Pacific", "PRC", "GMT+08:00", "America/St_Johns", "America/Sao_Paulo", "Europe/Dublin",
  };
  private static final int[] BLOCKS = {256, 1024, 4096, 64 << 10, 256 << 10};
  private static final int[] STRIDES = {0, 1000, 1000, 1700, 10000};

  private final Random r;
  private int names;
  private final boolean far;
  private boolean beyond; // there are times that nanoseconds do not hold

  private RandomFiles(long seed) {
    r = new Random(seed);
    far = r.nextInt(6) == 0;
  }

  /** Writes random-NNNN.orc and, where nanoseconds do not hold its times, random-NNNN-us.orc; repeats is of Spec. */
  static void write(long seed, int count, File dir, boolean repeats) throws IOException {
    if (!dir.isDirectory() && !dir.mkdirs()) {
      throw new IOException("cannot make " + dir);
    }
    for (int i = 0; i < count; i++) {
      RandomFiles x = new RandomFiles(seed * 1_000_003 + i);
      CompressionKind[] codecs = CompressionKind.values();
      Spec s = x.spec().codec(codecs[i % codecs.length]).repeats(repeats);
      File f = new File(dir, String.format("random-%04d%s.orc", i, x.beyond ? "-us" : ""));
      s.write(f);
      Main.expect(f, false);
    }
  }

  private Spec spec() {
    int columns = 1 + r.nextInt(8);
    List<String> fields = new ArrayList<>();
    List<String> flat = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      String type = type(r.nextInt(3));
      String name = name(type);
      fields.add(name + ":" + type);
      if (!type.contains("<")) {
        flat.add(name);
      }
      if (type.equals("string")) {
        texts.add(name);
      }
    }
    int rows = r.nextInt(8) == 0 ? r.nextInt(6000) : r.nextInt(700);
    Spec s = new Spec(TypeDescription.fromString("struct<" + String.join(",", fields) + ">"))
        .seed(r.nextLong())
        .rows(rows)
        .stripeRows(r.nextInt(3) == 0 ? 1 + r.nextInt(rows + 1) / (1 + r.nextInt(8)) : 0)
        .stride(STRIDES[r.nextInt(STRIDES.length)])
        .block(BLOCKS[r.nextInt(BLOCKS.length)])
        .version(r.nextBoolean() ? OrcFile.Version.V_0_11 : OrcFile.Version.V_0_12)
        .strategy(r.nextBoolean() ? OrcFile.EncodingStrategy.SPEED : OrcFile.EncodingStrategy.COMPRESSION)
        .zone(ZONES[r.nextInt(ZONES.length)])
        .proleptic(r.nextInt(3) == 0)
        .utcTimestamps(r.nextInt(6) == 0)
        .decimal64(r.nextInt(3) == 0)
        .set("orc.dictionary.key.threshold", new String[] {"0", "0.5", "0.8", "1.0"}[r.nextInt(4)])
        .set("orc.dictionary.early.check", Boolean.toString(r.nextBoolean()));
    if (r.nextInt(3) == 0 && !flat.isEmpty()) {
      OrcFile.BloomFilterVersion[] vs = OrcFile.BloomFilterVersion.values();
      s.bloom(String.join(",", flat), 0.1, vs[r.nextInt(vs.length)]);
    }
    if (r.nextInt(4) == 0 && !texts.isEmpty()) {
      s.direct(texts.get(0));
    }
    if (r.nextInt(4) == 0) {
      s.metadata("key", new byte[r.nextInt(300)]);
    }
    return s;
  }

  private String type(int depth) {
    switch (r.nextInt(depth > 0 ? 21 : 16)) {
      case 0: return "boolean";
      case 1: return "tinyint";
      case 2: return "smallint";
      case 3: return "int";
      case 4, 5: return "bigint";
      case 6: return "float";
      case 7: return "double";
      case 8, 9: return "string";
      case 10: return "binary";
      case 11: return "timestamp";
      case 12: return "timestamp with local time zone";
      case 13: return "date";
      case 14: {
        int p = 1 + r.nextInt(38);
        return "decimal(" + p + "," + r.nextInt(p + 1) + ")";
      }
      case 15: return (r.nextBoolean() ? "varchar(" : "char(") + (1 + r.nextInt(12)) + ")";
      case 16: return "array<" + type(depth - 1) + ">";
      case 17: return "map<" + (r.nextBoolean() ? "string" : "int") + "," + type(depth - 1) + ">";
      case 18: {
        List<String> variants = new ArrayList<>();
        for (int i = 1 + r.nextInt(4); i > 0; i--) {
          variants.add(type(depth - 1));
        }
        return "uniontype<" + String.join(",", variants) + ">";
      }
      default: {
        List<String> fields = new ArrayList<>();
        for (int i = 1 + r.nextInt(3); i > 0; i--) {
          String t = type(depth - 1);
          fields.add(name(t) + ":" + t);
        }
        return "struct<" + String.join(",", fields) + ">";
      }
    }
  }

  /** A name that says what the values are; of a compound column, what those of its leaves are. */
  private String name(String type) {
    String[] profiles = {"mix"};
    if (type.matches("tinyint|smallint|int|bigint")) {
      profiles = Profiles.INTEGERS;
    } else if (type.equals("boolean")) {
      profiles = Profiles.BOOLEANS;
    } else if (type.matches("float|double")) {
      profiles = Profiles.DOUBLES;
    } else if (type.matches("string|binary|(var)?char.*")) {
      profiles = Profiles.TEXTS;
    } else if (type.startsWith("decimal")) {
      profiles = Profiles.DECIMALS;
    } else if (far && type.contains("timestamp")) { // all of them, as only these have no nanoseconds
      beyond = true;
      profiles = new String[] {"far"};
    } else if (type.startsWith("timestamp")) {
      profiles = Profiles.TIMES;
    } else if (type.equals("date")) {
      profiles = new String[] {"mix", "seq", "far", "ancient", "cutover", "days"};
    } else if (type.contains("<")) {
      profiles = new String[] {"mix", "const", "small", "runs", "lengths", "empty"};
    }
    String nulls = r.nextInt(3) == 0 ? "none" : Values.NULLS[r.nextInt(Values.NULLS.length)];
    return "f" + names++ + "__" + profiles[r.nextInt(profiles.length)] + "__" + nulls;
  }
}
