package arrowio.hivejudge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random lines of text for Hive's SerDes to read: most are values of the types, and some are not. */
final class Texts {
  private final Random r;

  Texts(long seed) {
    r = new Random(seed);
  }

  /** A table: its SerDe, the types of its columns, what they are read with, and its lines. */
  record Made(String serde, String types, Map<String, String> parameters, String content) {}

  private static final String[] PLAIN = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "varchar(5)", "char(4)", "date", "timestamp", "decimal(8,3)", "binary"
  };

  private String pick(String... of) {
    return of[r.nextInt(of.length)];
  }

  private String type(int depth) {
    return switch (depth == 0 ? 9 : r.nextInt(10)) {
      case 0, 1 -> "array<" + type(depth - 1) + ">";
      case 2 -> "map<" + pick("string", "int", "bigint") + "," + type(depth - 1) + ">";
      case 3 -> "struct<a:" + type(depth - 1) + ",b:" + type(depth - 1) + ">";
      default -> pick(PLAIN);
    };
  }

  /** A table that LazySimpleSerDe reads. */
  Made lazy() {
    Map<String, String> p = new HashMap<>();
    if (r.nextBoolean()) {
      p.put("field.delim", pick(",", "|", "\t", "124"));
    }
    if (r.nextInt(3) == 0) {
      p.put("collection.delim", pick(";", ":", "36"));
    }
    if (r.nextInt(3) == 0) {
      p.put("mapkey.delim", pick("=", "#"));
    }
    if (r.nextBoolean()) {
      p.put("escape.delim", pick("\\", "92", "!"));
    }
    if (r.nextInt(3) == 0) {
      p.put("serialization.null.format", pick("", "NULL", "-"));
    }
    if (r.nextInt(5) == 0) {
      p.put("serialization.last.column.takes.rest", "true");
    }
    List<String> types = new ArrayList<>();
    for (int i = 2 + r.nextInt(4); i > 0; i--) {
      types.add(type(3));
    }
    String[] between = {separator(p, "field.delim", "\u0001"), separator(p, "collection.delim", "\u0002"), separator(p, "mapkey.delim", "\u0003"), "\u0004", "\u0005", "\u0006", "\u0007", "\b"};
    StringBuilder b = new StringBuilder();
    for (int row = 0; row < 40; row++) {
      int fields = r.nextInt(8) == 0 ? r.nextInt(types.size() + 2) : types.size();
      for (int i = 0; i < fields; i++) {
        b.append(i > 0 ? between[0] : "");
        if (i < types.size()) {
          value(b, types.get(i), between, 1, p);
        } else {
          b.append("more");
        }
      }
      b.append('\n');
    }
    return new Made("lazy", String.join(":", types), p, b.toString());
  }

  private static String separator(Map<String, String> p, String name, String none) {
    String s = p.getOrDefault(name, none);
    return s.length() > 1 ? String.valueOf((char) Integer.parseInt(s)) : s;
  }

  /** Splits what is between the brackets of a type at its commas. */
  static List<String> inside(String type) {
    return split(type.substring(type.indexOf('<') + 1, type.length() - 1), ',');
  }

  /** Splits a text where a character is in no brackets. */
  static List<String> split(String s, char at) {
    List<String> out = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
      if (c == at && depth == 0) {
        out.add(s.substring(from, i));
        from = i + 1;
      }
    }
    out.add(s.substring(from));
    return out;
  }

  private void value(StringBuilder b, String type, String[] between, int level, Map<String, String> p) {
    int k = r.nextInt(14);
    if (k == 0) {
      b.append(p.getOrDefault("serialization.null.format", "\\N"));
      return;
    }
    if (k == 1) {
      return;
    }
    if (type.startsWith("array")) {
      for (int i = 0, n = 1 + r.nextInt(3); i < n; i++) {
        b.append(i > 0 ? between[level] : "");
        value(b, inside(type).get(0), between, level + 1, p);
      }
    } else if (type.startsWith("map")) {
      for (int i = 0, n = 1 + r.nextInt(3); i < n; i++) {
        b.append(i > 0 ? between[level] : "");
        b.append(inside(type).get(0).equals("string") ? pick("k", "l", "m") : pick("1", "2", "03", "3"));
        if (r.nextInt(8) > 0) {
          b.append(between[level + 1]);
          value(b, inside(type).get(1), between, level + 2, p);
        }
      }
    } else if (type.startsWith("struct")) {
      int n = r.nextInt(6) == 0 ? 1 : 2;
      for (int i = 0; i < n; i++) {
        b.append(i > 0 ? between[level] : "");
        value(b, inside(type).get(i).substring(2), between, level + 1, p);
      }
    } else {
      b.append(plain(type, p.get("escape.delim")));
    }
  }

  private String plain(String type, String escape) {
    if (r.nextInt(12) == 0) {
      return pick("x", "1.5", "-", ".", "1e3", " 7", "+5", "99999999999", "-.5", "5.", "NaN", "Infinity", "true", "2024-02-30", "2024-1-5", "2024-01-01T10:00:00", "2024-01-01 25:61:00", "\u00e4\u00f6\u00fc\u00df", "1.23456", "12345678.5", "0x1p3", "1f", "inf", "YWJj", "YWJ", "2024-03-01 10:00:00", "NULL", "null", "T");
    }
    return switch (type.replaceAll("\\(.*", "")) {
      case "boolean" -> pick("true", "FALSE", "False");
      case "tinyint" -> "" + (r.nextInt(256) - 128);
      case "smallint" -> "" + (r.nextInt(65536) - 32768);
      case "int" -> "" + r.nextInt();
      case "bigint" -> "" + r.nextLong();
      case "float" -> "" + (float) r.nextGaussian();
      case "double" -> "" + r.nextGaussian() * Math.pow(10, r.nextInt(40) - 20);
      case "date" -> String.format("%04d-%02d-%02d", 1500 + r.nextInt(800), 1 + r.nextInt(12), 1 + r.nextInt(28));
      case "timestamp" -> String.format("%04d-%02d-%02d %02d:%02d:%02d%s", 1700 + r.nextInt(500), 1 + r.nextInt(12), 1 + r.nextInt(28), r.nextInt(24), r.nextInt(60), r.nextInt(60), pick("", ".5", ".123456789", ".000"));
      case "decimal" -> pick("", "-", "+") + r.nextInt(100000) + pick("", ".5", ".25", ".125", ".", ".5000");
      case "binary" -> pick("YWJj", "YWI=", "a", "Zm9vYmFy", "not base 64!", "YQ==");
      default -> {
        StringBuilder b = new StringBuilder();
        for (int i = r.nextInt(6); i > 0; i--) {
          if (escape != null && r.nextInt(4) == 0) {
            b.append(escape.equals("92") ? "\\" : escape).append(pick(",", "|", "n", "r", "x", "\\", "!", ";"));
          } else {
            b.append(pick("a", "b", " ", "\"", "\u00e4", "\ud83d\ude00", "0"));
          }
        }
        yield b.toString();
      }
    };
  }

  /** A table that OpenCSVSerde reads. */
  Made csv() {
    Map<String, String> p = new HashMap<>();
    if (r.nextBoolean()) {
      p.put("separatorChar", pick(";", "|", "\t"));
    }
    if (r.nextBoolean()) {
      p.put("quoteChar", "'");
    }
    if (r.nextInt(3) == 0) {
      p.put("escapeChar", "#");
    }
    String s = p.getOrDefault("separatorChar", ",");
    String q = p.getOrDefault("quoteChar", "\"");
    String e = p.getOrDefault("escapeChar", "\\");
    StringBuilder b = new StringBuilder();
    for (int row = 0; row < 200; row++) {
      for (int i = r.nextInt(14); i > 0; i--) {
        b.append(pick("a", "b", " ", s, s, q, q, e, "\u00e4", "\ud83d\ude00", q + s + q, s + q, q + s));
      }
      b.append('\n');
    }
    return new Made("csv", "string:string:string", p, b.toString());
  }

  /** A table that JsonSerDe reads. */
  Made json() {
    List<String> types = new ArrayList<>();
    for (int i = 2 + r.nextInt(4); i > 0; i--) {
      types.add(type(3).replace("binary", "string"));
    }
    StringBuilder b = new StringBuilder();
    for (int row = 0; row < 40; row++) {
      b.append('{');
      String between = "";
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < types.size(); i++) {
        order.add(i);
      }
      java.util.Collections.shuffle(order, r);
      for (int i : order) {
        if (r.nextInt(6) == 0) {
          continue;
        }
        b.append(between).append(pick("\"c", "\"C")).append(i).append(pick("\":", "\" : "));
        json(b, types.get(i));
        between = pick(",", " , ");
      }
      if (r.nextInt(4) == 0) {
        b.append(between).append("\"unknown\": ").append(pick("1", "[1,{\"c0\":2}]", "{\"a\":[null]}"));
      }
      b.append("}\n");
    }
    return new Made("json", String.join(":", types), new HashMap<>(), b.toString());
  }

  private void json(StringBuilder b, String type) {
    if (r.nextInt(8) == 0) {
      b.append("null");
    } else if (type.startsWith("array")) {
      b.append('[');
      for (int i = 0, n = r.nextInt(4); i < n; i++) {
        b.append(i > 0 ? "," : "");
        json(b, inside(type).get(0));
      }
      b.append(']');
    } else if (type.startsWith("map")) {
      b.append('{');
      for (int i = 0, n = r.nextInt(4); i < n; i++) {
        b.append(i > 0 ? "," : "").append('"').append(i + 1).append("\":");
        json(b, inside(type).get(1));
      }
      b.append('}');
    } else if (type.startsWith("struct")) {
      b.append('{');
      for (int i = 1; i >= 0; i--) {
        if (r.nextInt(5) > 0) {
          b.append(b.charAt(b.length() - 1) == '{' ? "" : ",").append(i == 0 ? pick("\"a\":", "\"A\":") : "\"b\":");
          json(b, inside(type).get(i).substring(2));
        }
      }
      b.append('}');
    } else {
      switch (type.replaceAll("\\(.*", "")) {
        case "boolean" -> b.append(pick("true", "false"));
        case "tinyint" -> b.append(r.nextInt(256) - 128);
        case "smallint" -> b.append(r.nextInt(65536) - 32768);
        case "int" -> b.append(r.nextInt());
        case "bigint" -> b.append(r.nextLong());
        case "float" -> b.append((float) r.nextGaussian());
        case "double" -> b.append(r.nextGaussian());
        case "decimal" -> b.append(r.nextInt(10000)).append(pick("", ".5", ".25", ".125"));
        case "date" -> b.append('"').append(String.format("%04d-%02d-%02d", 1500 + r.nextInt(800), 1 + r.nextInt(12), 1 + r.nextInt(28))).append('"');
        case "timestamp" -> b.append('"').append(String.format("%04d-%02d-%02d %02d:%02d:%02d%s", 1700 + r.nextInt(500), 1 + r.nextInt(12), 1 + r.nextInt(28), r.nextInt(24), r.nextInt(60), r.nextInt(60), pick("", ".5", ".123456789"))).append('"');
        case "char", "varchar" -> b.append(pick("\"ab\"", "\"\"", "\"a b\""));
        default -> b.append(pick("\"text\"", "\"a\\\"b\"", "\"\\u00e4\\ud83d\\ude00\"", "\"\"", "12.50", "true"));
      }
    }
  }
}
