package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.RecordReaderImpl;

/**
 * What a file has besides its rows, tried against them: positions, by seeking to row groups and to any row; statistics and
 * bloom filters, by search arguments, and by what Java's own writer makes of the same rows.
 */
final class Verify {
  private static final int SEEKS = 300;
  private static final int ARGUMENTS = 7; // a column
  // A seek reads the whole index of a stripe, and an argument most rows: so many entries, and values, are enough.
  private static final int ENTRIES = 500_000;
  private static final int VALUES = 1_000_000;

  private final File file;
  private final boolean withKeys;
  private final List<String> rows = new ArrayList<>();
  private final Random random;
  private int seeks;
  private int arguments;
  private int pruning;
  private int stuck;

  private Verify(File file, boolean withKeys) {
    this.file = file;
    this.withKeys = withKeys;
    random = new Random(file.getName().hashCode());
  }

  /** Throws a Difference, or what the reader throws; returns what was tried. */
  static String file(File f, boolean withKeys) throws IOException {
    Verify v = new Verify(f, withKeys);
    try (Reader r = OrcFiles.open(f, withKeys)) {
      RowText.print(f, withKeys, line -> v.rows.add(unsigned(line)));
      boolean blooms = v.index(r);
      v.seek(r, blooms);
      v.search(r);
    }
    String java = withKeys ? "" : "," + Rewrite.compare(f);
    return "seeks=" + v.seeks + ",arguments=" + v.arguments + ",pruning=" + v.pruning + ",stuck=" + v.stuck + java;
  }

  /** A row without the signs of zeros: where a batch has no other floats, orc-core gives all of them the sign of the first. */
  private static String unsigned(CharSequence line) {
    return line.toString().replace("\"f80000000\"", "\"f00000000\"").replace("\"d8000000000000000\"", "\"d0000000000000000\"");
  }

  /** Reads all indexes and statistics; returns whether there are bloom filters. */
  private boolean index(Reader r) throws IOException {
    boolean blooms = false;
    int columns = r.getSchema().getMaximumId() + 1;
    boolean[] all = new boolean[columns];
    Arrays.fill(all, true);
    r.getStatistics();
    r.getStripeStatistics();
    List<StripeInformation> stripes = r.getStripes();
    try (RecordReaderImpl rows = (RecordReaderImpl) r.rows(r.options())) {
      for (int i = 0; i < stripes.size(); i++) {
        StripeInformation s = stripes.get(i);
        OrcProto.StripeFooter footer = rows.readStripeFooter(s);
        for (OrcProto.Stream stream : footer.getStreamsList()) {
          blooms |= stream.getKind() == OrcProto.Stream.Kind.BLOOM_FILTER_UTF8;
        }
        for (OrcProto.StripeEncryptionVariant variant : footer.getEncryptionList()) {
          for (OrcProto.Stream stream : variant.getStreamsList()) {
            blooms |= stream.getKind() == OrcProto.Stream.Kind.BLOOM_FILTER_UTF8;
          }
        }
        if (footer.getColumnsCount() != columns) {
          throw new Difference("stripe " + i + " has " + footer.getColumnsCount() + " encodings of " + columns);
        }
        int stride = r.getRowIndexStride();
        if (stride == 0) {
          continue;
        }
        OrcProto.RowIndex[] index = rows.readRowIndex(i, all, all).getRowGroupIndex();
        long groups = (s.getNumberOfRows() + stride - 1) / stride;
        for (int c = 0; c < columns; c++) {
          if (index[c] != null && index[c].getEntryCount() != groups) {
            throw new Difference(
                "stripe " + i + ", column " + c + ": " + index[c].getEntryCount() + " index entries of " + groups);
          }
        }
      }
    }
    return blooms;
  }

  /** Seeks to every row group, as far as there are not too many, and to rows around and between. */
  private void seek(Reader r, boolean blooms) throws IOException {
    TypeDescription schema = r.getSchema();
    if (rows.isEmpty() || schema.getMaximumId() == 0 && schema.getChildren() != null) {
      return;
    }
    List<Long> to = new ArrayList<>();
    long first = 0;
    long entries = 1;
    int stride = r.getRowIndexStride() == 0 ? Integer.MAX_VALUE : r.getRowIndexStride();
    for (StripeInformation s : r.getStripes()) {
      for (long at = 0; at < s.getNumberOfRows(); at += stride) {
        to.add(first + at);
      }
      entries = Math.max(entries, (s.getNumberOfRows() / stride + 1) * (1 + schema.getMaximumId()));
      first += s.getNumberOfRows();
    }
    long most = Math.min(SEEKS, ENTRIES / entries + 1);
    while (to.size() > most) {
      to.remove(random.nextInt(to.size()));
    }
    for (int i = 0; i < most / 10; i++) {
      to.add((long) random.nextInt(rows.size()));
    }
    to.add(rows.size() - 1L);
    boolean indexed = r.getRowIndexStride() > 0;
    if (!indexed) {
      to.sort(null);
    } else {
      Collections.shuffle(to, random);
    }
    Reader.Options o = r.options();
    if (blooms) {
      // Without a search argument orc-core 2.3.1 fails to seek in a file with bloom filters: one that keeps every row.
      Column.all(schema, false).stream().findFirst().ifPresent(
          c -> o.searchArgument(c.anything(), new String[] {c.name()}));
    }
    VectorizedRowBatch few = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 16);
    VectorizedRowBatch many = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 1024);
    RowText text = new RowText();
    long next = 0;
    try (RecordReader in = r.rows(o)) {
      for (long at : to) {
        if (!indexed && at < next) {
          continue; // without an index orc-core only goes forward
        }
        VectorizedRowBatch batch = random.nextInt(8) == 0 ? many : few;
        in.seekToRow(at);
        seeks++;
        if (!in.nextBatch(batch)) {
          throw new Difference("seek to row " + at + ": nothing there");
        }
        next = at + batch.size;
        for (int i = 0; i < batch.size; i++) {
          same("seek to row " + at + ", row " + (at + i), unsigned(text.row(batch, schema, i)), rows.get((int) at + i));
        }
      }
    }
  }

  private static void same(String what, String got, String want) throws Difference {
    if (!got.equals(want)) {
      throw new Difference(what + ": " + Judge.from(got, want) + " in order " + Judge.from(want, got));
    }
  }

  /** Asks for rows by search arguments: none that is asked for may be missing. */
  private void search(Reader r) throws IOException {
    TypeDescription schema = r.getSchema();
    if (rows.isEmpty() || schema.getMaximumId() == 0 && schema.getChildren() != null) {
      return;
    }
    List<Column> columns = Column.all(schema, true);
    long each = VALUES / (1L + columns.size()) / rows.size() / (1 + schema.getMaximumId());
    for (Column c : columns) {
      List<Comparable<?>> values = new ArrayList<>();
      scan(r, null, c, (value, line) -> values.add(value));
      for (int i = 0; i < Math.min(ARGUMENTS, each + 1); i++) {
        Question q = c.question(random, values);
        if (q == null) {
          continue;
        }
        arguments++;
        List<String> want = new ArrayList<>();
        for (int k = 0; k < values.size(); k++) {
          if (q.test(values.get(k))) {
            want.add(rows.get(k));
          }
        }
        List<String> got = new ArrayList<>();
        int[] from = {0};
        if (!scan(r, q.argument(), c, (value, line) -> {
          while (from[0] < rows.size() && !rows.get(from[0]).equals(line)) {
            from[0]++;
          }
          if (from[0]++ >= rows.size()) {
            throw new Difference(q + " on column " + c.name() + ": a row that is not there, or not in order: " + line);
          }
          if (q.test(value)) {
            got.add(line);
          }
        })) {
          stuck++;
          continue;
        }
        if (from[0] < rows.size()) {
          pruning++;
        }
        if (!got.equals(want)) {
          throw new Difference(
              q + " on column " + c.name() + " (" + c.type() + "): " + got.size() + " rows of " + want.size());
        }
      }
    }
  }

  private interface Row {
    void take(Comparable<?> value, String line) throws IOException;
  }

  /**
   * Hands out the rows that r gives, and returns whether it got to the end. orc-core 2.3.1 does not, in its own files
   * neither, where the row groups that are asked for have no values in a stream which others have values in: lists that
   * are empty, say; and where it is to read some row groups of a geometry.
   */
  private static boolean scan(Reader r, SearchArgument argument, Column c, Row row) throws IOException {
    Reader.Options o = r.options();
    if (argument != null) {
      o.searchArgument(argument, new String[] {c.name()});
    }
    TypeDescription schema = r.getSchema();
    VectorizedRowBatch batch = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 1024);
    RowText text = new RowText();
    try (RecordReader in = r.rows(o)) {
      while (in.nextBatch(batch)) {
        for (int i = 0; i < batch.size; i++) {
          row.take(c.value(batch, i), unsigned(text.row(batch, schema, i)));
        }
      }
      return true;
    } catch (IOException | IllegalArgumentException e) {
      String cause = Judge.cause(e);
      if (argument != null && (cause.contains("is outside of the data") || cause.contains("Unknown type Geo"))) {
        return false;
      }
      throw e;
    }
  }
}
