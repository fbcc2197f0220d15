package arrowio.kudujudge;

import java.util.ArrayList;
import java.util.List;

/** Reads the JSON of canonical rows: arrays are lists, numbers are longs; there are no objects in rows that are written. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The values of a row. */
  static List<?> row(String line) {
    Json j = new Json(line);
    if (!(j.value() instanceof List<?> row) || j.at != line.length()) {
      throw new IllegalArgumentException("no row: " + line);
    }
    return row;
  }

  private Object value() {
    char c = text.charAt(at);
    if (c == '[') {
      return list();
    }
    if (c == '"') {
      return string();
    }
    int from = at;
    while (at < text.length() && ",]".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(from, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Long.valueOf(word);
    };
  }

  private List<Object> list() {
    List<Object> out = new ArrayList<>();
    for (at++; text.charAt(at) != ']'; ) {
      out.add(value());
      if (text.charAt(at) == ',') {
        at++;
      }
    }
    at++;
    return out;
  }

  private String string() {
    StringBuilder b = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c == '\\' && text.charAt(++at) == 'u') {
        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
        at += 4;
      } else {
        c = text.charAt(at);
      }
      b.append(c);
    }
    at++;
    return b.toString();
  }
}
