package arrowio.kudujudge;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kudu.client.KuduClient;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduScanToken;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.SessionConfiguration.FlushMode;

/** A running master and tablet server, as kudu.sh starts them. */
final class Cluster implements AutoCloseable {
  private static final long PATIENCE = 180_000;
  private static final Pattern OPERATION = Pattern.compile(
      "<td>([A-Za-z]+)\\([^)]*\\)</td>\\s*<td>(true|false)</td>\\s*<td>[^<]*</td>\\s*<td>[^<]*</td>\\s*<td>([^<]*)</td>");

  final KuduClient client;
  private final String master;
  private final String tserver;
  private final String page;
  private final Set<String> compactions = new HashSet<>();

  Cluster(Path dir) throws IOException {
    String[] ports = Files.readString(dir.resolve("ports")).trim().split(" ");
    master = "127.0.0.1:" + ports[0];
    tserver = "127.0.0.1:" + ports[1];
    page = "http://127.0.0.1:" + ports[2] + "/maintenance-manager";
    client = new KuduClient.KuduClientBuilder(master)
        .defaultOperationTimeoutMs(PATIENCE).defaultAdminOperationTimeoutMs(PATIENCE).build();
  }

  @Override
  public void close() throws KuduException {
    client.close();
  }

  KuduSession session() {
    KuduSession s = client.newSession();
    s.setFlushMode(FlushMode.MANUAL_FLUSH);
    s.setMutationBufferSpace(20_000);
    s.setTimeoutMillis(PATIENCE);
    return s;
  }

  /** Sends what the session holds; no row may fail. */
  static void send(KuduSession s) throws IOException {
    for (OperationResponse r : s.flush()) {
      if (r.hasRowError()) {
        throw new IOException(r.getRowError().toString());
      }
    }
  }

  /** The smallest timestamp that all operations of this client so far lie below: a snapshot at it has them all. */
  long now() {
    return client.getLastPropagatedTimestamp() + 1;
  }

  /** Runs Kudu's tool; the environment variable ARROWIO_KUDU names the script. */
  private static void tool(String... words) throws IOException, InterruptedException {
    ProcessBuilder b = new ProcessBuilder(System.getenv("ARROWIO_KUDU"), "tool");
    b.command().addAll(List.of(words));
    Process p = b.redirectErrorStream(true).start();
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (p.waitFor() != 0) {
      throw new IOException(String.join(" ", words) + ": " + out);
    }
  }

  /** Leaves a tombstone of the only tablet of a table. */
  void forget(String table) throws IOException, InterruptedException {
    KuduScanToken token = client.newScanTokenBuilder(client.openTable(table)).build().get(0);
    String tablet = new String(token.getTablet().getTabletId(), StandardCharsets.US_ASCII);
    tool("remote_replica", "delete", tserver, tablet, "to leave a tombstone");
  }

  void flag(String name, Object value) throws IOException, InterruptedException {
    tool("tserver", "set_flag", tserver, name, value.toString(), "--force");
  }

  /** From now on nothing is flushed: what is written stays in memory and in the log. */
  void stopFlushing() throws IOException, InterruptedException {
    flag("enable_flush_memrowset", false);
    flag("enable_flush_deltamemstores", false);
  }

  void startFlushing() throws IOException, InterruptedException {
    flag("enable_flush_memrowset", true);
    flag("enable_flush_deltamemstores", true);
  }

  /** Runs compactions of these kinds until there is nothing left that is worth one. */
  void compact(boolean rowsets, boolean majorDeltas, boolean minorDeltas) throws IOException, InterruptedException {
    compaction("rowset", "CompactRowSetsOp", rowsets);
    compaction("major_delta", "MajorDeltaCompactionOp", majorDeltas);
    compaction("minor_delta", "MinorDeltaCompactionOp", minorDeltas);
    settle();
    compaction("rowset", "CompactRowSetsOp", false);
    compaction("major_delta", "MajorDeltaCompactionOp", false);
    compaction("minor_delta", "MinorDeltaCompactionOp", false);
  }

  private void compaction(String kind, String operation, boolean on) throws IOException, InterruptedException {
    flag("enable_" + kind + "_compaction", on);
    if (on) {
      compactions.add(operation);
    } else {
      compactions.remove(operation);
    }
  }

  /** Waits until everything is flushed and no maintenance is left to do. */
  void settle() throws IOException, InterruptedException {
    long start = System.currentTimeMillis();
    int idle = 0;
    Thread.sleep(400); // the page is as old as the last round of the maintenance manager
    while (idle < 3) {
      if (System.currentTimeMillis() - start > PATIENCE) {
        throw new IOException("maintenance does not come to an end");
      }
      idle = busy() ? 0 : idle + 1;
      Thread.sleep(150);
    }
  }

  private boolean busy() throws IOException {
    String text;
    try (InputStream in = URI.create(page).toURL().openStream()) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String running = text.substring(text.indexOf("Running operations"), text.indexOf("Recent completed"));
    if (running.contains("<td>")) {
      return true;
    }
    Matcher m = OPERATION.matcher(text.substring(text.indexOf("Non-running operations")));
    while (m.find()) {
      boolean worth = m.group(1).startsWith("Flush")
          || compactions.contains(m.group(1)) && Double.parseDouble(m.group(3)) > 0.009;
      if (m.group(2).equals("true") && worth) {
        return true;
      }
    }
    return false;
  }
}
