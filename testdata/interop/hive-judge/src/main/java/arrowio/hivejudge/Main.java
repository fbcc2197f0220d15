package arrowio.hivejudge;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TimeZone;

/** The command line. */
public final class Main {
  private static final String USAGE =
      """
      usage: hive-judge COMMAND ...
        histories DIR SEED COUNT   tables with random histories, and what Hive reads in them; a line for each when it is done
        evolution DIR              tables whose columns were renamed, and what Hive reads in them by name and by position
        metastore DIR COUNT [PORT] tables in the metastore that listens on PORT, or in one of its own, COUNT of them ACID tables with random histories; see Metastore
        big DIR ROWS CODEC         the table that speed is measured on, DIR/table, and its rows without deletes, DIR/plain; NONE, ZLIB, SNAPPY
      """;

  private Main() {}

  public static void main(String[] a) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    Map<String, Integer> arguments = Map.of("evolution", 2, "metastore", a.length == 3 ? 3 : 4);
    if (a.length == 0 || a.length != arguments.getOrDefault(a[0], 4)) {
      usage();
    }
    switch (a[0]) {
      case "histories" -> {
        long first = Long.parseLong(a[2]);
        for (long seed = first; seed < first + Integer.parseInt(a[3]); seed++) {
          Path dir = Path.of(a[1], Long.toString(seed));
          new History(dir, seed).run();
          out.println(seed + "\t" + dir);
        }
      }
      case "evolution" -> new Evolution(Path.of(a[1])).run();
      case "metastore" -> new Metastore(Path.of(a[1])).run(out, Integer.parseInt(a[2]), a.length == 3 ? 0 : Integer.parseInt(a[3]));
      case "big" -> Big.write(Path.of(a[1]), Long.parseLong(a[2]), a[3]);
      default -> usage();
    }
    System.exit(0); // threads of Hive's that look for splits would go on
  }

  private static void usage() {
    System.err.print(USAGE);
    System.exit(2);
  }
}
