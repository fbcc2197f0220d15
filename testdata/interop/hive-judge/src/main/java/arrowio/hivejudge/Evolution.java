package arrowio.hivejudge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hive.ql.io.RecordUpdater;

/**
 * Tables whose columns were renamed between transactions, in DIR/originals and DIR/base, and what Hive reads in them under each
 * schema: DIR/TABLE-SCHEMA-name.jsonl, and DIR/TABLE-SCHEMA-position.jsonl with orc.force.positional.evolution. A line is a row,
 * its id in front.
 */
final class Evolution {
  private static final String FIRST = "bigint:string:struct<a:int,b:string>";
  private static final String LATER = "bigint:string:struct<a:int,c:string>:string";

  private final Path dir;
  private int id; // in rows

  Evolution(Path dir) {
    this.dir = dir;
  }

  void run() throws IOException {
    originals();
    base();
  }

  /** The columns of the table called what in its generations; the last schema has names that no file has. */
  private Table generation(String what, int number) throws IOException {
    return switch (number) {
      case 1 -> table(what, "id,s,n", FIRST);
      case 2 -> table(what, "id,renamed,n,v", LATER);
      case 3 -> table(what, "id,v,n,s", LATER);
      default -> table(what, "w,x,y,z", LATER);
    };
  }

  private Table table(String what, String names, String types) throws IOException {
    return new Table(dir.resolve(what), names, types, 1, true);
  }

  private void originals() throws IOException {
    generation("originals", 1).writePlain("000000_0", List.of(row(3), row(3), row(3)));
    generation("originals", 1).writePlain("000000_0_copy_1", List.of(row(3), row(3)));
    insert(generation("originals", 2), 1, false);
    delete(generation("originals", 2), 2);
    generation("originals", 2).writePlain("delta_0000003_0000003_0000/000000_0", List.of(row(4), row(4)));
    insert(generation("originals", 3), 4, false);
    expect("originals");
  }

  private void base() throws IOException {
    insert(generation("base", 1), 1, true);
    insert(generation("base", 1), 2, false);
    delete(generation("base", 2), 3);
    insert(generation("base", 2), 4, false);
    insert(generation("base", 3), 5, false);
    delete(generation("base", 3), 6);
    expect("base");
  }

  private void insert(Table t, long write, boolean base) throws IOException {
    RecordUpdater u = t.updater(0, write, write, 0, base, false);
    for (int i = 0; i < 5; i++) {
      u.insert(write, row(t.names.size()));
    }
    u.close(false);
  }

  /** Deletes every third row that is there. */
  private void delete(Table t, long write) throws IOException {
    List<Table.Row> rows = t.read(WriteIds.ALL);
    RecordUpdater u = t.updater(0, write, write, 0, false, true);
    for (int i = 0; i < rows.size(); i += 3) {
      u.delete(write, Table.withId(row(t.names.size()), rows.get(i)));
    }
    u.close(false);
  }

  private List<Object> row(int columns) {
    int i = id++;
    List<Object> row = new ArrayList<>(List.of((long) i, "second " + i, Arrays.<Object>asList(i * 10, "inner " + i)));
    if (columns > 3) {
      row.add("fourth " + i);
    }
    return row;
  }

  private void expect(String what) throws IOException {
    for (int g = 1; g <= 4; g++) {
      Table t = generation(what, g);
      for (boolean position : new boolean[] {false, true}) {
        List<String> lines = new ArrayList<>();
        for (Table.Row x : (position ? t.byPosition() : t).read(WriteIds.ALL)) {
          lines.add("[[" + x.write() + "," + x.bucket() + "," + x.row() + "]," + x.text().substring(1));
        }
        Files.write(dir.resolve(what + "-" + g + (position ? "-position" : "-name") + ".jsonl"), lines);
      }
    }
  }
}
