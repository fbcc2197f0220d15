package arrowio.hive4judge;

import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.security.HadoopThriftAuthBridge;

/** A metastore of Hive 4 in DIR. It prints its port, and serves until its standard input ends. */
public final class Main {
  private static final String SCHEMA = "/apache-hive-metastore-4.0.1-bin/scripts/metastore/upgrade/derby/hive-schema-4.0.0.derby.sql";

  private Main() {}

  public static void main(String[] a) throws Exception {
    if (a.length != 1) {
      System.err.println("usage: hive4-judge DIR");
      System.exit(2);
    }
    Path dir = Path.of(a[0]);
    System.setProperty("derby.stream.error.file", dir.resolve("derby.log").toString());
    String url = "jdbc:derby:" + dir.resolve("metastore");
    create(url);
    int port;
    try (ServerSocket s = new ServerSocket(0)) {
      port = s.getLocalPort();
    }
    Configuration c = new Configuration(false);
    c.set("fs.defaultFS", "file:///");
    c.set("metastore.warehouse.dir", dir.resolve("warehouse").toUri().toString());
    c.set("metastore.warehouse.external.dir", dir.toUri().toString());
    c.set("javax.jdo.option.ConnectionURL", url);
    c.set("javax.jdo.option.ConnectionDriverName", "org.apache.derby.jdbc.EmbeddedDriver");
    c.set("metastore.schema.verification", "false");
    c.set("metastore.event.db.notification.api.auth", "false");
    c.set("metastore.stats.autogather", "false");
    c.set("metastore.metadata.transformer.class", Transformer.class.getName());
    Thread t =
        new Thread(
            () -> {
              try {
                HiveMetaStore.startMetaStore(port, HadoopThriftAuthBridge.getBridge(), c);
              } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
              }
            });
    t.setDaemon(true);
    t.start();
    System.out.println(port);
    while (System.in.read() >= 0) {
      // it is asked by the metastore's own protocol
    }
    System.exit(0);
  }

  /** Makes the tables that a metastore keeps its own in. */
  private static void create(String url) throws Exception {
    String script;
    try (InputStream in = Main.class.getResourceAsStream(SCHEMA)) {
      script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    try (Connection c = DriverManager.getConnection(url + ";create=true", "APP", "mine");
        Statement s = c.createStatement()) {
      for (String sql : script.replaceAll("(?m)--.*$", "").split(";")) {
        if (sql.isBlank()) {
          continue;
        }
        try {
          s.execute(sql);
        } catch (SQLException e) {
          throw new SQLException(sql, e);
        }
      }
    }
  }
}
