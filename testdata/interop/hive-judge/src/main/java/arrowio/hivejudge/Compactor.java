package arrowio.hivejudge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.ValidCompactorWriteIdList;
import org.apache.hadoop.hive.common.ValidReaderWriteIdList;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator.RecordWriter;
import org.apache.hadoop.hive.ql.io.AcidInputFormat;
import org.apache.hadoop.hive.ql.io.AcidOutputFormat;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.io.RecordIdentifier;
import org.apache.hadoop.hive.ql.io.orc.OrcInputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcStruct;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;

/**
 * Compaction with Hive's choice of directories, its reader of events and its writers. What Hive runs as a job, bucket after
 * bucket into a directory that is then renamed into place, is a loop here.
 */
final class Compactor {
  private final Table table;

  Compactor(Table table) {
    this.table = table;
  }

  /** Compacts what is settled in a list; null where there is nothing to do, otherwise the directory that came of it. */
  String run(boolean major, WriteIds ids) throws IOException {
    ValidCompactorWriteIdList list = new ValidCompactorWriteIdList(ids.hive());
    JobConf c = table.job(WriteIds.ALL);
    // Without it each bucket is given the deletes of all, and Hive refuses to read what comes of that.
    c.setInt("bucket_count", table.buckets);
    AcidUtils.Directory state = AcidUtils.getAcidState(table.path, c, list, false, true);
    List<AcidUtils.ParsedDelta> deltas = state.getCurrentDirectories();
    if (deltas.size() < (major ? 1 : 2)) {
      return null; // originals alone are nothing that the reader of events takes
    }
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    List<Path> paths = new ArrayList<>();
    for (AcidUtils.ParsedDelta d : deltas) {
      first = Math.min(first, d.getMinWriteId());
      last = Math.max(last, d.getMaxWriteId());
      paths.add(d.getPath());
    }
    FileSystem fs = table.files();
    if (!major
        && (fs.exists(new Path(table.path, AcidUtils.deltaSubdir(first, last)))
            || fs.exists(new Path(table.path, AcidUtils.deleteDeltaSubdir(first, last))))) {
      return null; // they are compacted already
    }
    Path tmp = new Path(table.path, "_tmp_compaction");
    for (int bucket = 0; bucket < table.buckets; bucket++) {
      compact(c, major, bucket, list, state.getBaseDirectory(), paths, tmp, first, last);
    }
    String made = null;
    if (fs.exists(tmp)) {
      for (FileStatus s : fs.listStatus(tmp)) {
        if (major) {
          AcidUtils.MetaDataFile.createCompactorMarker(s.getPath(), fs);
        }
        AcidUtils.OrcAcidVersion.writeVersionFile(s.getPath(), fs);
        made = s.getPath().getName();
        if (fs.exists(new Path(table.path, made)) || !fs.rename(s.getPath(), new Path(table.path, made))) {
          throw new IOException("cannot move " + s.getPath());
        }
      }
      fs.delete(tmp, true);
    }
    return made;
  }

  private void compact(
      JobConf c, boolean major, int bucket, ValidCompactorWriteIdList list, Path base, List<Path> deltas, Path tmp, long first, long last)
      throws IOException {
    AcidInputFormat.RawReader<OrcStruct> reader =
        new OrcInputFormat().getRawReader(c, major, bucket, list, base, deltas.toArray(new Path[0]));
    RecordIdentifier id = reader.createKey();
    OrcStruct v = reader.createValue();
    RecordWriter rows = null;
    RecordWriter deletes = null;
    while (reader.next(id, v)) {
      if (!reader.isDelete(v)) {
        rows = rows != null ? rows : writer(c, reader.getObjectInspector(), major, false, bucket, tmp, first, last);
        rows.write(v);
      } else if (!major) {
        deletes = deletes != null ? deletes : writer(c, reader.getObjectInspector(), false, true, bucket, tmp, first, last);
        deletes.write(v);
      }
    }
    if (rows == null && major) {
      rows = writer(c, reader.getObjectInspector(), true, false, bucket, tmp, first, last);
    }
    for (RecordWriter w : new RecordWriter[] {rows, deletes}) {
      if (w != null) {
        w.close(false);
      }
    }
    reader.close();
  }

  private RecordWriter writer(
      JobConf c, ObjectInspector inspector, boolean base, boolean deletes, int bucket, Path tmp, long first, long last) throws IOException {
    AcidOutputFormat.Options o =
        new AcidOutputFormat.Options(c)
            .inspector(inspector)
            .isCompressed(false)
            .tableProperties(table.properties())
            .reporter(Reporter.NULL)
            .writingBase(base)
            .writingDeleteDelta(deletes)
            .minimumWriteId(first)
            .maximumWriteId(last)
            .bucket(bucket)
            .statementId(-1);
    return new OrcOutputFormat().getRawRecordWriter(tmp, o);
  }

  /** Removes what nobody who reads with a list, or with a newer one, looks at; tells how much. */
  int clean(WriteIds ids) throws IOException {
    AcidUtils.Directory state =
        AcidUtils.getAcidState(table.path, table.job(WriteIds.ALL), new ValidReaderWriteIdList(ids.hive()), false, true);
    for (FileStatus s : state.getObsolete()) {
      table.files().delete(s.getPath(), true);
    }
    return state.getObsolete().size();
  }
}
