package arrowio.hivejudge;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Catalog;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.Table;

/**
 * Tables of a catalog beside the default one: other.d.events and others. The database d of the default catalog has tables of the same names,
 * with other columns.
 */
final class Catalogs {
  private static final String NAME = "other";

  private final HiveMetaStoreClient client;
  private final Path dir;

  Catalogs(HiveMetaStoreClient client, Path dir) {
    this.client = client;
    this.dir = dir.resolve(NAME);
  }

  void make() throws Exception {
    client.createCatalog(new Catalog(NAME, dir.toUri().toString()));
    Database d = new Database("d", "", dir.resolve("d").toUri().toString(), Map.of());
    d.setCatalogName(NAME);
    client.createDatabase(d);
    List<FieldSchema> keys = List.of(new FieldSchema("p", "string", null));
    create("events", keys, Map.of());
    for (int i = 0; i < 3; i++) {
      add("events", "" + i, i);
    }
    create("parts_orc", keys, Map.of());
    add("parts_orc", "old", 0);
    create("wide_orc", List.of(), Map.of("numRows", "7", "COLUMN_STATS_ACCURATE", "{\"BASIC_STATS\":\"true\"}"));
    create("acid", List.of(), Map.of("transactional", "true"));
  }

  private void create(String name, List<FieldSchema> keys, Map<String, String> parameters) throws Exception {
    Table t = new Table();
    t.setCatName(NAME);
    t.setDbName("d");
    t.setTableName(name);
    t.setOwner("judge");
    boolean managed = parameters.containsKey("transactional");
    t.setTableType(managed ? "MANAGED_TABLE" : "EXTERNAL_TABLE");
    t.setSd(Metastore.storage("orc", List.of(new FieldSchema("id", "bigint", null)), dir.resolve("d").resolve(name)));
    t.setPartitionKeys(keys);
    t.setParameters(new HashMap<>(parameters));
    if (!managed) {
      t.getParameters().put("EXTERNAL", "TRUE");
    }
    client.createTable(t);
  }

  private void add(String table, String value, long row) throws Exception {
    Path at = dir.resolve("d").resolve(table).resolve("p=" + value);
    new arrowio.hivejudge.Table(at, "id", "bigint", 1, false).writePlain("000000_0", List.of(new ArrayList<>(List.of(row))));
    Partition p = new Partition();
    p.setCatName(NAME);
    p.setDbName("d");
    p.setTableName(table);
    p.setValues(List.of(value));
    p.setSd(Metastore.storage("orc", List.of(new FieldSchema("id", "bigint", null)), at));
    p.setParameters(new HashMap<>(Map.of("numRows", "1", "COLUMN_STATS_ACCURATE", "{\"BASIC_STATS\":\"true\"}")));
    client.add_partitions(List.of(p), false, false); // Hive 4 looks for the table of add_partition in the default catalog
  }
}
