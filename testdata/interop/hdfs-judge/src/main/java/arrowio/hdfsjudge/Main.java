package arrowio.hdfsjudge;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * A namenode and two datanodes in this process, with their state in a directory, as long as standard input is open.
 *
 * <p>Prints {@code READY HOST:PORT}, and answers each line with one: {@code put LOCAL PATH}, {@code sha PATH} (the hash of a
 * file, as Java reads it), {@code ls PATH} (all below it), {@code blocks PATH} (the size that blocks of a file have, and where each
 * begins), {@code append PATH TEXT}, {@code chmod PATH OCTAL}, {@code rm PATH},
 * {@code kill} (one datanode ends), {@code restart} (the namenode does, on its port).
 *
 * <p>With a second directory the cluster asks for Kerberos, of a server of its own: see {@link Kerberos}.
 */
public final class Main {
  private final MiniDFSCluster cluster;

  private Main(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = new HdfsConfiguration();
    conf.set("dfs.datanode.address", "127.0.0.1:0");
    conf.set("dfs.datanode.http.address", "127.0.0.1:0");
    conf.set("dfs.datanode.ipc.address", "127.0.0.1:0");
    conf.set("dfs.namenode.rpc-bind-host", "127.0.0.1");
    conf.setLong("dfs.namenode.fs-limits.min-block-size", 1 << 20);
    conf.setLong("dfs.blocksize", 1 << 20); // files of several blocks are small
    conf.setInt("dfs.ls.limit", 7); // listings come in pieces
    conf.setInt("dfs.replication", 2);
    if (args.length > 1) {
      Kerberos.secure(conf, new File(args[1]));
    }
    MiniDFSCluster c = new MiniDFSCluster.Builder(conf, new File(args[0])).numDataNodes(2).build();
    c.waitActive();
    System.out.println("READY 127.0.0.1:" + c.getNameNodePort());
    new Main(c).serve();
    Runtime.getRuntime().halt(0); // nobody needs what is stored, and an orderly end takes half a minute
  }

  private void serve() throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer;
      try {
        answer = obey(line.split(" ", 3));
      } catch (Exception e) {
        answer = "error " + e.toString().replace('\n', ' ');
      }
      System.out.println(answer);
    }
  }

  private String obey(String[] words) throws Exception {
    FileSystem fs = cluster.getFileSystem();
    switch (words[0]) {
      case "put":
        fs.copyFromLocalFile(new Path("file://" + words[1]), new Path(words[2]));
        return "ok";
      case "sha":
        return sha(fs, new Path(words[1]));
      case "ls":
        TreeSet<String> names = new TreeSet<>();
        list(fs, new Path(words[1]), names);
        return "ok " + String.join(" ", names);
      case "blocks":
        return blocks(fs, fs.getFileStatus(new Path(words[1])));
      case "append":
        try (FSDataOutputStream out = fs.append(new Path(words[1]))) {
          out.write(words[2].getBytes(StandardCharsets.UTF_8));
        }
        return "ok";
      case "chmod":
        fs.setPermission(new Path(words[1]), new FsPermission(Short.parseShort(words[2], 8)));
        return "ok";
      case "rm":
        return "ok " + fs.delete(new Path(words[1]), true);
      case "kill":
        cluster.stopDataNode(0);
        return "ok";
      case "restart":
        cluster.restartNameNode(true);
        return "ok";
      default:
        return "error no command " + words[0];
    }
  }

  private static String sha(FileSystem fs, Path path) throws Exception {
    MessageDigest md = MessageDigest.getInstance("SHA-256");
    byte[] buf = new byte[1 << 16];
    try (FSDataInputStream raw = fs.open(path); InputStream in = raw) {
      for (int n = in.read(buf); n >= 0; n = in.read(buf)) {
        md.update(buf, 0, n);
      }
    }
    return "ok " + HexFormat.of().formatHex(md.digest());
  }

  private static String blocks(FileSystem fs, FileStatus file) throws IOException {
    StringBuilder b = new StringBuilder("ok ").append(file.getBlockSize());
    for (BlockLocation x : fs.getFileBlockLocations(file, 0, file.getLen())) {
      b.append(' ').append(x.getOffset());
    }
    return b.toString();
  }

  private static void list(FileSystem fs, Path dir, TreeSet<String> names) throws IOException {
    for (FileStatus s : fs.listStatus(dir)) {
      names.add(s.getPath().toUri().getPath() + (s.isDirectory() ? "/" : ""));
      if (s.isDirectory()) {
        list(fs, s.getPath(), names);
      }
    }
  }
}
