package arrowio.hive4judge;

import java.util.List;
import org.apache.hadoop.hive.metastore.HiveMetaException;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.MetastoreDefaultTransformer;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.Table;

/** Hive's own, which shows tables by what a client says that it can do. Who makes tables here is one of Hive 3, and says nothing. */
public final class Transformer extends MetastoreDefaultTransformer {
  public Transformer(IHMSHandler handler) throws MetaException, HiveMetaException {
    super(handler);
  }

  @Override
  public Table transformCreateTable(Table t, List<String> capabilities, String id) throws MetaException {
    return super.transformCreateTable(t, List.of("HIVEMANAGEDINSERTWRITE", "HIVEFULLACIDWRITE", "HIVECACHEINVALIDATE", "CONNECTORWRITE", "EXTWRITE"), "judge");
  }
}
