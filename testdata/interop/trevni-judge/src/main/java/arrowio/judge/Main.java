package arrowio.judge;

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
import java.util.zip.GZIPOutputStream;

/** The command line. */
public final class Main {
  private static final String USAGE =
      """
      usage: trevni-judge COMMAND
        gen DIR                        the fixtures, and fixtures.tsv that describes them
        random DIR COUNT SEED          COUNT files of random schemas, data, codecs and checksums, with expected text
        expect FILE...                 FILE less .trv + .raw.jsonl.gz, and .avro.jsonl.gz where it carries avro.schema
        dump --raw|--avro FILE         canonical text on standard output
        judge LIST                     compare many files with expected text; LIST - is standard input
        try FILE...                    a line a file: ok, or how the reader fails
        big DIR ROWS [CODEC...]        benchmark files
        bench FILE                     thread CPU seconds of each column, all columns, records, and writing
        bench --serve FILE             the same on request, see Bench
      """;

  private Main() {}

  public static void main(String[] a) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    if (!command(a, out)) {
      System.err.print(USAGE);
      System.exit(2);
    }
    out.flush();
  }

  /** Returns whether the command line was understood. */
  private static boolean command(String[] a, PrintStream out) throws Exception {
    if (a.length < 2) {
      return false;
    }
    switch (a[0]) {
      case "gen" -> Fixtures.write(new File(a[1]));
      case "random" -> {
        if (a.length != 4) {
          return false;
        }
        RandomFiles.write(new File(a[1]), Integer.parseInt(a[2]), Long.parseLong(a[3]));
      }
      case "expect" -> {
        for (int i = 1; i < a.length; i++) {
          expect(new File(a[i]));
        }
      }
      case "dump" -> {
        if (a.length != 3 || !a[1].startsWith("--")) {
          return false;
        }
        dump(new File(a[2]), a[1].substring(2), out);
      }
      case "judge" -> {
        boolean good;
        try (InputStream list = a[1].equals("-") ? System.in : new FileInputStream(a[1])) {
          good = Judge.run(list, out);
        }
        out.flush();
        System.exit(good ? 0 : 1);
      }
      case "try" -> {
        for (int i = 1; i < a.length; i++) {
          out.println(a[i] + "\t" + attempt(new File(a[i])));
          out.flush();
        }
      }
      case "big" -> {
        if (a.length < 3) {
          return false;
        }
        BigFiles.write(new File(a[1]), Long.parseLong(a[2]), java.util.Arrays.asList(a).subList(3, a.length), out);
      }
      case "bench" -> {
        if (a[1].equals("--serve") && a.length == 3) {
          new Bench(new File(a[2])).serve(System.in, out);
        } else {
          new Bench(new File(a[1])).table(out);
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Prints a file by mode: raw or avro. */
  static void print(File f, String mode, LineSink sink) throws IOException {
    switch (mode) {
      case "raw" -> RawText.print(f, sink);
      case "avro" -> AvroText.print(f, sink);
      default -> throw new IllegalArgumentException("no such mode: " + mode);
    }
  }

  private static void dump(File f, String mode, OutputStream out) throws IOException {
    try {
      writeText(f, mode, out);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      out.flush();
      System.err.println(f + ": " + Judge.cause(e));
      System.exit(1);
    }
  }

  private static void writeText(File f, String mode, OutputStream out) throws IOException {
    Writer w = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    try {
      print(f, mode, line -> w.append(line).append('\n'));
    } finally {
      w.flush();
    }
  }

  static void expect(File f) throws IOException {
    String base = f.getPath().replaceFirst("\\.trv$", "");
    for (String mode : AvroText.has(f) ? new String[] {"raw", "avro"} : new String[] {"raw"}) {
      File text = new File(base + "." + mode + ".jsonl.gz");
      try (OutputStream o = new BestGzip(Files.newOutputStream(text.toPath()))) {
        writeText(f, mode, o);
      }
    }
  }

  /** gzip at its best level, without a name or a time: the same bytes every time. */
  private static final class BestGzip extends GZIPOutputStream {
    BestGzip(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(9);
    }
  }

  private static String attempt(File f) {
    try {
      RawText.print(f, line -> {});
      if (AvroText.has(f)) {
        AvroText.print(f, line -> {});
      }
      return "ok";
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      return Judge.cause(e);
    }
  }
}
