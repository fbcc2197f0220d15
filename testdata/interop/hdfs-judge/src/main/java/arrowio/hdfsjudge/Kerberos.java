package arrowio.hdfsjudge;

import java.io.File;
import java.nio.file.Files;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A Kerberos server in this process, of the realm ARROWIO.TEST. In its directory are {@code krb5.conf}, and
 * {@code reader.keytab} of the user {@code reader}; the cluster is {@code hdfs/localhost}.
 */
final class Kerberos {
  private Kerberos() {}

  static void secure(Configuration conf, File dir) throws Exception {
    Properties p = MiniKdc.createConf();
    p.setProperty(MiniKdc.ORG_NAME, "ARROWIO");
    p.setProperty(MiniKdc.ORG_DOMAIN, "TEST");
    MiniKdc kdc = new MiniKdc(p, dir);
    kdc.start();
    File servers = new File(dir, "servers.keytab");
    kdc.createPrincipal(servers, "hdfs/localhost", "HTTP/localhost");
    kdc.createPrincipal(new File(dir, "reader.keytab"), "reader");
    Files.copy(kdc.getKrb5conf().toPath(), new File(dir, "krb5.conf").toPath());
    String at = "@" + kdc.getRealm();
    conf.set("hadoop.security.authentication", "kerberos");
    for (String who : new String[] {"namenode", "datanode"}) {
      conf.set("dfs." + who + ".kerberos.principal", "hdfs/localhost" + at);
      conf.set("dfs." + who + ".keytab.file", servers.getAbsolutePath());
    }
    conf.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost" + at);
    conf.set("dfs.web.authentication.kerberos.keytab", servers.getAbsolutePath());
    conf.setBoolean("dfs.block.access.token.enable", true);
    conf.setBoolean("ignore.secure.ports.for.testing", true); // datanodes need no port of root
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation.loginUserFromKeytab("hdfs/localhost" + at, servers.getAbsolutePath());
  }
}
