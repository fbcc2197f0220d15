package arrowio.orcjudge;

import java.io.BufferedWriter;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TimeZone;
import java.util.zip.GZIPOutputStream;

/** The command line. */
public final class Main {
  private static final String USAGE =
      """
      usage: orc-judge COMMAND
        gen DIR                  the fixtures, and fixtures.tsv that describes them
        random SEED COUNT DIR    COUNT files of random schemas, data and settings, with their expected rows
        repeats SEED COUNT DIR   the same, of batches whose vectors repeat values
        expect [--keys] FILE...  FILE less .orc + .jsonl.gz; with --keys that, and .masked.jsonl.gz without the keys
        dump FILE [--keys]       canonical rows on standard output
        judge LIST               compare many files with expected rows; LIST - is standard input
        verify LIST              the same, and seeks, search arguments, statistics
        bench FILE [PASSES]      Java's speed: CPU time of each pass over the file
        write-bench FILE OUT CODEC PASSES  the same of writing the rows of FILE, which has flat columns, to OUT
        evolve LIST              read FILE<tab>SCHEMA<tab>OUT: a file under a schema of other types
        try FILE...              a line a file: ok, or how the reader fails
      """;

  private Main() {}

  public static void main(String[] a) throws Exception {
    // What is written and read depends on the zone of the process.
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    if (!command(a, out)) {
      System.err.print(USAGE);
      System.exit(2);
    }
    out.flush();
  }

  /** Returns whether the command line was understood. */
  private static boolean command(String[] args, PrintStream out) throws Exception {
    List<String> a = new ArrayList<>(Arrays.asList(args));
    boolean withKeys = a.remove("--keys");
    if (a.size() < 2) {
      return false;
    }
    List<String> files = a.subList(1, a.size());
    switch (a.get(0)) {
      case "gen" -> Fixtures.write(new File(a.get(1)));
      case "random", "repeats" -> {
        if (a.size() != 4) {
          return false;
        }
        RandomFiles.write(Long.parseLong(a.get(1)), Integer.parseInt(a.get(2)), new File(a.get(3)), a.get(0).equals("repeats"));
      }
      case "expect" -> {
        for (String f : files) {
          expect(new File(f), withKeys);
        }
      }
      case "bench" -> Bench.read(new File(a.get(1)), a.size() > 2 ? Integer.parseInt(a.get(2)) : 5, out);
      case "write-bench" -> {
        if (a.size() != 5) {
          return false;
        }
        WriteBench.write(new File(a.get(1)), new File(a.get(2)), a.get(3), Integer.parseInt(a.get(4)), out);
      }
      case "dump" -> dump(new File(a.get(1)), withKeys, out);
      case "judge", "verify" -> {
        boolean good;
        try (InputStream list = a.get(1).equals("-") ? System.in : new FileInputStream(a.get(1))) {
          good = Judge.run(list, a.get(0).equals("verify"), out);
        }
        out.flush();
        System.exit(good ? 0 : 1);
      }
      case "evolve" -> {
        try (InputStream list = a.get(1).equals("-") ? System.in : new FileInputStream(a.get(1))) {
          Evolve.run(list);
        }
      }
      case "try" -> {
        for (String f : files) {
          out.println(f + "\t" + attempt(new File(f), withKeys));
          out.flush();
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void dump(File f, boolean withKeys, OutputStream out) throws IOException {
    try {
      writeText(f, withKeys, out);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      out.flush();
      System.err.println(f + ": " + Judge.cause(e));
      System.exit(1);
    }
  }

  private static void writeText(File f, boolean withKeys, OutputStream out) throws IOException {
    Writer w = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    try {
      RowText.print(f, withKeys, line -> w.append(line).append('\n'));
    } finally {
      w.flush();
    }
  }

  static void expect(File f, boolean withKeys) throws IOException {
    String base = f.getPath().replaceFirst("\\.orc$", "");
    zipText(f, withKeys, new File(base + ".jsonl.gz"));
    if (withKeys) {
      zipText(f, false, new File(base + ".masked.jsonl.gz"));
    }
  }

  private static void zipText(File f, boolean withKeys, File to) throws IOException {
    try (OutputStream o = new BestGzip(Files.newOutputStream(to.toPath()))) {
      writeText(f, withKeys, o);
    }
  }

  /** gzip at its best level, without a name or a time: the same bytes every time. */
  private static final class BestGzip extends GZIPOutputStream {
    BestGzip(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(9);
    }
  }

  private static String attempt(File f, boolean withKeys) {
    try {
      RowText.print(f, withKeys, line -> {});
      return "ok";
    } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
      return Judge.cause(e);
    }
  }
}
