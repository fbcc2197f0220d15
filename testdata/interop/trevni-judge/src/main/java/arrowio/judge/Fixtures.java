package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/** The directory of fixtures being written and the list of what is in it. */
final class Fixtures implements AutoCloseable {
  private final File dir;
  private final PrintWriter list;
  private final Set<String> names = new TreeSet<>();

  private Fixtures(File dir) throws IOException {
    this.dir = dir;
    if (!dir.isDirectory() && !dir.mkdirs()) {
      throw new IOException("cannot make " + dir);
    }
    list = new PrintWriter(new File(dir, "fixtures.tsv"), StandardCharsets.UTF_8);
  }

  static void write(File dir) throws IOException {
    try (Fixtures to = new Fixtures(dir)) {
      CoreFixtures.write(to);
      AvroFixtures.write(to);
    }
  }

  /** Returns where the fixture of that name goes and notes what it shows. */
  File add(String name, String shows) {
    return add(name, shows, "");
  }

  /** As add, for a file that the Java reader itself does not read. */
  File add(String name, String shows, String quirk) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("two fixtures of one name: " + name);
    }
    list.println(name + ".trv\t" + shows + "\t" + quirk);
    return new File(dir, name + ".trv");
  }

  @Override
  public void close() throws IOException {
    list.close();
    if (list.checkError()) {
      throw new IOException("cannot write the list of fixtures");
    }
  }
}
