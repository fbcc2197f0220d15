package arrowio.kudujudge;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.TimeZone;

/** The command line. */
public final class Main {
  private static final String USAGE =
      """
      usage: kudu-judge COMMAND SERVER ...   SERVER is the folder of a server that kudu.sh started
        files SERVER DIR                tables whose files become lone fixtures, and what each column holds
        tables SERVER DIR               tables of a server that becomes a fixture, and their rows, latest and at snapshots
        churn SERVER DIR SCALE          the same with SCALE times the rows, every type in every encoding with every codec
        big SERVER ROWS                 the table that speed is measured on
        columns SERVER ROWS             a table of a column for each encoding, in one rowset
        bench SERVER TABLE PASSES       the speed of a scan: a line of JSON for each pass
      usage: kudu-judge session         does what the lines of standard input say; see Session
      ARROWIO_KUDU names kudu.sh.
      """;

  private Main() {}

  public static void main(String[] a) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    if (a.length == 1 && a[0].equals("session")) {
      new Session().run(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), stdout());
      return;
    }
    if (a.length < 3) {
      System.err.print(USAGE);
      System.exit(2);
    }
    try (Cluster c = new Cluster(Path.of(a[1]))) {
      switch (a[0]) {
        case "files" -> new LoneFiles(c, Path.of(a[2])).write();
        case "tables" -> new Tables(c, Path.of(a[2]), 1, false).write();
        case "churn" -> new Tables(c, Path.of(a[2]), Integer.parseInt(a[3]), true).write();
        case "big" -> new Big(c).table(Long.parseLong(a[2]));
        case "columns" -> new Big(c).columns(Long.parseLong(a[2]));
        case "bench" -> Bench.read(c, a[2], Integer.parseInt(a[3]), stdout());
        default -> {
          System.err.print(USAGE);
          System.exit(2);
        }
      }
    }
  }

  private static PrintStream stdout() {
    return new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
  }
}
