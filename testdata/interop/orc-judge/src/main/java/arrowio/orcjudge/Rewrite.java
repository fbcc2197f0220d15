package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.DecimalColumnStatistics;
import org.apache.orc.DoubleColumnStatistics;
import org.apache.orc.GeospatialColumnStatistics;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.impl.ColumnStatisticsImpl;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.RecordReaderImpl;

/** Has Java's writer write the rows of a file, and compares the statistics and bloom filters that it makes of them. */
final class Rewrite {
  private static final Pattern BYTES = Pattern.compile(" bytesOnDisk: \\d+");
  // Java counts the length of its vectors for that of a list.
  private static final Pattern CHILDREN = Pattern.compile(" (min|max|total)Children: \\d+");
  private static final Pattern SUM = Pattern.compile(" sum: (\\S+)");
  private static final int LEAST_STRIDE = 1000; // of Java's writer

  private Rewrite() {}

  /** Throws a Difference; returns the bytes of the stripes of both. */
  static String compare(File f) throws IOException {
    File copy = File.createTempFile("java", ".orc");
    try (Reader ours = OrcFiles.open(f, false)) {
      Files.delete(copy.toPath());
      boolean strict = ours.getStripes().size() <= 1 && ours.getRowIndexStride() >= LEAST_STRIDE;
      write(ours, copy, strict ? ours.getRowIndexStride() : 10_000);
      try (Reader java = OrcFiles.open(copy, false)) {
        statistics(ours, java, strict);
        if (strict && !ours.getStripes().isEmpty() && java.getStripes().size() == 1) {
          groups(ours, java);
        }
        return "bytes=" + ours.getContentLength() + ",java=" + java.getContentLength();
      }
    } finally {
      Files.deleteIfExists(copy.toPath());
    }
  }

  private static void write(Reader from, File to, int stride) throws IOException {
    TypeDescription schema = from.getSchema().clone();
    for (int c = 0; c <= schema.getMaximumId(); c++) { // of a column that was encrypted once
      schema.findSubtype(c).removeAttribute("encrypt").removeAttribute("mask");
    }
    OrcFile.WriterOptions o = OrcFile.writerOptions(OrcFiles.configuration())
        .setSchema(schema).compress(from.getCompressionKind()).rowIndexStride(stride).stripeSize(256L << 20)
        .version(from.getFileVersion()).useUTCTimestamp(true).setProlepticGregorian(true).bufferSize(64 << 10);
    try (Writer w = OrcFile.createWriter(OrcFiles.path(to), o);
        RecordReader rows = from.rows(from.options())) {
      VectorizedRowBatch batch = schema.createRowBatch(TypeDescription.RowBatchVersion.ORIGINAL, 1024);
      while (rows.nextBatch(batch)) {
        w.addRowBatch(batch);
      }
    }
  }

  private static void statistics(Reader ours, Reader java, boolean strict) throws IOException {
    ColumnStatistics[] a = ours.getStatistics();
    ColumnStatistics[] b = java.getStatistics();
    if (a.length != b.length) {
      throw new Difference("statistics of " + a.length + " columns, Java has " + b.length);
    }
    for (int c = 0; c < a.length; c++) {
      TypeDescription t = ours.getSchema().findSubtype(c);
      String x = text(a[c]);
      String y = text(b[c]);
      boolean exact = strict && !(a[c] instanceof DoubleColumnStatistics) 
          && sums(t, hasSum(a[c]), hasSum(b[c]));
      if (!x.equals(y) && (exact || !likeBut(x, y))) {
        throw new Difference("statistics of column " + c + " (" + t + "): " + x + ", Java's " + y);
      }
    }
  }

  private static String text(ColumnStatistics s) {
    if (s instanceof DoubleColumnStatistics d && Double.isNaN(d.getSum())) {
      return s.getNumberOfValues() + " values and " + s.hasNull(); // with a NaN among them the others mean nothing
    }
    if (s instanceof GeospatialColumnStatistics g && g.getBoundingBox() == null || s.getClass() == ColumnStatisticsImpl.class) {
      return s.getNumberOfValues() + " values and " + s.hasNull(); // Java writes geometries without a box, and fails to print them
    }
    return CHILDREN.matcher(BYTES.matcher(s.toString()).replaceAll("")).replaceAll("").replace(" -0.0 ", " 0.0 ");
  }

  /** Whether sums are to be the same: those of short decimals may be given up earlier or later, others Java rounds. */
  private static boolean sums(TypeDescription t, boolean ours, boolean java) {
    return t.getCategory() != TypeDescription.Category.DECIMAL
        || t.getPrecision() <= TypeDescription.MAX_DECIMAL64_PRECISION && ours == java;
  }

  private static boolean hasSum(ColumnStatistics s) {
    return s instanceof DecimalColumnStatistics d && d.getSum() != null;
  }

  /**
   * Whether texts differ in nothing but sums, which depend on the order of additions; and those of floats that are all the
   * same Java counts once a batch.
   */
  private static boolean likeBut(String x, String y) {
    return SUM.matcher(x).replaceAll("").equals(SUM.matcher(y).replaceAll(""));
  }

  private static void groups(Reader ours, Reader java) throws IOException {
    boolean[] all = new boolean[ours.getSchema().getMaximumId() + 1];
    Arrays.fill(all, true);
    OrcIndex a = index(ours, all);
    OrcIndex b = index(java, all);
    for (int c = 0; c < all.length; c++) {
      OrcProto.RowIndex x = a.getRowGroupIndex()[c];
      OrcProto.RowIndex y = b.getRowGroupIndex()[c];
      for (int i = 0; x != null && y != null && i < y.getEntryCount(); i++) {
        OrcProto.ColumnStatistics p = x.getEntry(i).getStatistics();
        OrcProto.ColumnStatistics q = y.getEntry(i).getStatistics();
        boolean sums = sums(ours.getSchema().findSubtype(c), p.getDecimalStatistics().hasSum(), q.getDecimalStatistics().hasSum());
        if (!plain(p, sums).equals(plain(q, sums))) {
          throw new Difference("statistics of column " + c + " (" + ours.getSchema().findSubtype(c) + "), row group " + i
              + ": " + p.toString().replaceAll("\\s+", " ") + ", Java's " + q.toString().replaceAll("\\s+", " "));
        }
      }
    }
  }

  private static OrcProto.ColumnStatistics plain(OrcProto.ColumnStatistics s, boolean sums) {
    OrcProto.ColumnStatistics.Builder b = s.toBuilder().clearBytesOnDisk().clearCollectionStatistics();
    if (!b.getGeospatialStatistics().hasBbox()) {
      b.clearGeospatialStatistics();
    }
    if (b.hasDoubleStatistics() && Double.isNaN(b.getDoubleStatistics().getSum())) {
      b.clearDoubleStatistics();
    } else if (b.hasDoubleStatistics()) {
      OrcProto.DoubleStatistics.Builder d = b.getDoubleStatisticsBuilder().clearSum();
      if (d.hasMinimum()) {
        d.setMinimum(d.getMinimum() + 0.0).setMaximum(d.getMaximum() + 0.0); // zeros of both signs are the same
      }
    } else if (b.hasDecimalStatistics() && !sums) {
      b.getDecimalStatisticsBuilder().clearSum();
    }
    return b.build();
  }

  private static OrcIndex index(Reader r, boolean[] all) throws IOException {
    try (RecordReaderImpl rows = (RecordReaderImpl) r.rows(r.options())) {
      return rows.readRowIndex(0, all, all);
    }
  }
}
