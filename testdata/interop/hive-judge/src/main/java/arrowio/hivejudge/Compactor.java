package arrowio.hivejudge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
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
  private Random slow; // null = nobody reads meanwhile

  Compactor(Table table) {
    this.table = table;
  }

  /** Does step by step, with pauses, what readers may see of Hive 3.1: both directories are made always, and what is obsolete goes file by file. */
  Compactor slowly(Random slow) {
    this.slow = slow;
    return this;
  }

  private void pause() throws IOException {
    if (slow == null || slow.nextInt(3) == 0) {
      return;
    }
    try {
      Thread.sleep(slow.nextInt(12) == 0 ? 200 : slow.nextInt(25));
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
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
        && slow == null
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
      List<FileStatus> all = new ArrayList<>(List.of(fs.listStatus(tmp)));
      if (slow != null) {
        Collections.shuffle(all, slow);
      }
      for (FileStatus s : all) {
        made = s.getPath().getName();
        move(fs, s.getPath(), new Path(table.path, made), major);
      }
      pause();
      fs.delete(tmp, true);
    }
    return made;
  }

  /** Moves a directory into place: as Hive 3.1.3 does it, or, in some of those that are done slowly, as 3.1.0 to 3.1.2 do. */
  private void move(FileSystem fs, Path from, Path to, boolean major) throws IOException {
    boolean there = fs.exists(to);
    if (there && slow == null) {
      throw new IOException("cannot move " + from);
    }
    boolean before = slow == null || there || slow.nextBoolean();
    if (there) {
      remove(fs, to);
      pause();
    }
    if (before) {
      mark(fs, from, major);
    }
    if (!fs.rename(from, to)) {
      throw new IOException("cannot move " + from);
    }
    pause();
    if (!before) {
      mark(fs, to, major);
    }
  }

  private void mark(FileSystem fs, Path dir, boolean major) throws IOException {
    AcidUtils.OrcAcidVersion.writeVersionFile(dir, fs);
    pause();
    if (major) {
      AcidUtils.MetaDataFile.createCompactorMarker(dir, fs);
    }
  }

  private void remove(FileSystem fs, Path dir) throws IOException {
    if (slow != null) {
      for (FileStatus s : fs.listStatus(dir)) {
        fs.delete(s.getPath(), false);
        pause();
      }
    }
    fs.delete(dir, true);
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
    if (slow != null && !major) {
      rows = writer(c, reader.getObjectInspector(), false, false, bucket, tmp, first, last);
      deletes = writer(c, reader.getObjectInspector(), false, true, bucket, tmp, first, last);
    }
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
      remove(table.files(), s.getPath());
      pause();
    }
    return state.getObsolete().size();
  }
}
