package arrowio.orcjudge;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Compares ORC files, as the Java reader sees them, with expected rows. Each line of the list is FILE and EXPECTED,
 * the word keys where it is to read with keys, and the word unions where null unions and unions of a null are the same,
 * tabs between; EXPECTED may be gzipped. The answer to each line is one line, at once, so that a program may keep one
 * judge and talk to it: {@code equal FILE}, with what was tried where more than rows are compared,
 * {@code different FILE why} or {@code error FILE cause}, tabs between.
 */
final class Judge {
  private static final int SHOWN = 160;
  private static final Set<String> WORDS = Set.of("keys", "unions");
  private static final Pattern NULL_UNION = Pattern.compile("\\{\"tag\":\\d+,\"value\":null\\}");

  private Judge() {}

  /** Returns whether every file was equal. */
  static boolean run(InputStream list, boolean more, PrintStream out) throws IOException {
    boolean good = true;
    BufferedReader lines = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      if (line.isBlank()) {
        continue;
      }
      String[] part = line.split("\t", -1);
      List<String> words = Arrays.asList(part).subList(Math.min(2, part.length), part.length);
      if (part.length < 2 || !WORDS.containsAll(words)) {
        throw new IOException("not FILE<tab>EXPECTED[<tab>keys][<tab>unions]: " + line);
      }
      boolean withKeys = words.contains("keys");
      String answer;
      try {
        compare(new File(part[0]), new File(part[1]), withKeys, words.contains("unions"));
        answer = "equal\t" + part[0] + (more ? "\t" + Verify.file(new File(part[0]), withKeys) : "");
      } catch (Difference e) {
        answer = "different\t" + part[0] + "\t" + line(e.getMessage());
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        answer = "error\t" + part[0] + "\t" + cause(e);
      }
      good &= answer.startsWith("equal");
      out.println(answer);
      out.flush();
    }
    return good;
  }

  /** What a reader's failure says, on one line. */
  static String cause(Throwable e) {
    StringBuilder b = new StringBuilder();
    for (Throwable t = e; t != null; t = t.getCause()) {
      b.append(b.isEmpty() ? "" : " <- ").append(t);
    }
    return line(b.toString());
  }

  private static String line(String s) {
    return s.replaceAll("[\\t\\r\\n]+", " ");
  }

  private static void compare(File f, File expected, boolean withKeys, boolean unions) throws IOException {
    try (BufferedReader want = open(expected)) {
      int[] at = {0};
      RowText.print(f, withKeys, line -> {
        String w = want.readLine();
        CharSequence got = line;
        if (unions) {
          w = w == null ? null : withoutNullUnions(w);
          got = withoutNullUnions(line);
        }
        at[0]++;
        if (w == null) {
          throw new Difference("row " + (at[0] - 1) + ": nothing expected, the reader gives " + cut(got));
        }
        if (!w.contentEquals(got)) {
          throw new Difference("row " + (at[0] - 1) + ": " + from(got, w) + " expected " + from(w, got));
        }
      });
      String more = want.readLine();
      if (more != null) {
        throw new Difference("the reader gives " + at[0] + " rows, expected " + cut(more));
      }
    }
  }

  /** A row in which a union that is null, and one that has a null, are the same. */
  private static String withoutNullUnions(CharSequence line) {
    String s = line.toString();
    for (String next; !(next = NULL_UNION.matcher(s).replaceAll("null")).equals(s); ) {
      s = next;
    }
    return s;
  }

  private static BufferedReader open(File f) throws IOException {
    InputStream in = new BufferedInputStream(new FileInputStream(f), 1 << 16);
    in.mark(2);
    boolean gzipped = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return new BufferedReader(
        new InputStreamReader(gzipped ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8), 1 << 16);
  }

  /** The part of a that begins a little before it stops being b. */
  static String from(CharSequence a, CharSequence b) {
    int i = 0;
    while (i < a.length() && i < b.length() && a.charAt(i) == b.charAt(i)) {
      i++;
    }
    int start = Math.max(0, i - SHOWN / 4);
    return (start > 0 ? "…" : "") + cut(a.subSequence(start, a.length()));
  }

  private static String cut(CharSequence s) {
    return s.length() <= SHOWN ? s.toString() : s.subSequence(0, SHOWN) + "…";
  }
}
