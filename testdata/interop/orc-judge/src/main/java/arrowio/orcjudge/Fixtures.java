package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.apache.orc.OrcFile;

/** The directory of fixtures being written and the list of what is in it. */
final class Fixtures implements AutoCloseable {
  /** The two versions of the format, by the end of a fixture's name. */
  static final String[] VERSIONS = {"v11", "v12"};

  /** Readers need the option, for values that nanoseconds do not hold. */
  static final String MICROSECONDS = "timestamp-unit=us";

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
      TypeFixtures.write(to);
      ShapeFixtures.write(to);
      LayoutFixtures.write(to);
    }
  }

  static OrcFile.Version version(String name) {
    return name.endsWith("v11") ? OrcFile.Version.V_0_11 : OrcFile.Version.V_0_12;
  }

  void add(String name, String shows, Spec spec) throws IOException {
    add(name, shows, "", spec);
  }

  /** Writes a fixture and its expected rows, and notes what it shows and with which options it is read. */
  void add(String name, String shows, String options, Spec spec) throws IOException {
    File f = file(name, shows, options);
    spec.write(f);
    Main.expect(f, spec.encrypted());
  }

  /** Notes a fixture that the caller writes, with its expected rows. */
  File file(String name, String shows, String options) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("two fixtures of one name: " + name);
    }
    list.println(name + ".orc\t" + shows + "\t" + options);
    return new File(dir, name + ".orc");
  }

  @Override
  public void close() throws IOException {
    list.close();
    if (list.checkError()) {
      throw new IOException("cannot write the list of fixtures");
    }
  }
}
