package arrowio.icebergjudge;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Iceberg's generic reader and writer of ORC files, by command. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws IOException {
    switch (args.length == 0 ? "" : args[0]) {
      case "read" -> read();
      case "random" -> RandomTables.write(new File(args[1]), Long.parseLong(args[2]), Integer.parseInt(args[3]));
      case "tables" -> Tables.write(new File(args[1]), Long.parseLong(args[2]), Integer.parseInt(args[3]));
      case "check" -> Written.check();
      case "catalogs" -> Catalogs.run();
      case "rest" -> RestServer.run(args[1]);
      case "vectors" -> Vectors.write(new File(args[1]));
      default -> {
        System.err.println("iceberg-judge read < LIST | random DIR SEED COUNT | tables DIR SEED COUNT | vectors DIR | check < LIST | catalogs | rest WAREHOUSE");
        System.exit(2);
      }
    }
  }

  /** Each line of standard input is FILE, a tab, the name of a schema's JSON, a tab, and where the rows go. */
  private static void read() throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] part = line.split("\t");
      try {
        Rows.dump(new File(part[0]), Files.readString(new File(part[1]).toPath()), new File(part[2]));
        System.out.println("read\t" + part[0]);
      } catch (IOException | RuntimeException e) {
        System.out.println("error\t" + part[0] + "\t" + e.toString().replace('\n', ' ').replace('\t', ' '));
      }
    }
  }
}
