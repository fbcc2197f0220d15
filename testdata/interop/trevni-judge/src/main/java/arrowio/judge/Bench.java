package arrowio.judge;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.ColumnFileReader;
import org.apache.trevni.ColumnMetaData;
import org.apache.trevni.ColumnValues;
import org.apache.trevni.avro.AvroColumnReader;
import org.apache.trevni.avro.AvroColumnWriter;

/**
 * The speed of the Java implementation on one file: thread CPU time, so that neither the garbage collector's threads
 * nor anything else on the machine counts, after a warm-up that lets the compiler settle.
 *
 * <p>Targets: {@code column N} every value of a column (and the lengths of its parents), {@code all} every column in
 * turn, {@code records} the record reader, {@code write} the record writer with the file's own codec and checksum into
 * nothing; rows for {@code write} are a sample of the file's, written over and over.
 *
 * <p>When serving, each line is a target, a tab and a number of passes; the answer is a line of JSON with the target,
 * its name, how many rows a pass reads or writes, and the CPU seconds of each pass. A program that keeps one JVM and
 * asks it again and again, doing something else between, compares two implementations under the same weather.
 */
final class Bench {
  private static final int WARM_PASSES = 6;
  private static final long WARM_NANOS = 1_500_000_000L;
  private static final int TABLE_PASSES = 9;
  private static final int WRITE_SAMPLE = 100_000;
  private static final int WRITE_ROWS = 500_000;

  private final File file;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Map<String, Work> warm = new HashMap<>();
  private long rows;
  /** What passes compute, so that nothing is optimised away. */
  private volatile long sink;

  Bench(File file) {
    this.file = file;
  }

  /** One pass; returns how many rows it handled. */
  @FunctionalInterface
  private interface Work {
    long run() throws IOException;
  }

  void serve(InputStream requests, PrintStream out) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(requests, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] part = line.split("\t", -1);
      double[] cpu = measure(part[0], Integer.parseInt(part[1]));
      StringBuilder b = new StringBuilder("{\"target\":");
      Json.string(b, part[0]);
      b.append(",\"rows\":").append(rows).append(",\"cpu\":[");
      for (int i = 0; i < cpu.length; i++) {
        b.append(i > 0 ? "," : "").append(String.format(Locale.ROOT, "%.6f", cpu[i]));
      }
      out.println(b.append("]}"));
      out.flush();
    }
  }

  void table(PrintStream out) throws IOException {
    List<String> targets = new ArrayList<>();
    Map<String, String> names = new HashMap<>();
    boolean avro = AvroText.has(file);
    try (ColumnFileReader in = new ColumnFileReader(file)) {
      for (ColumnMetaData c : in.getColumnMetaData()) {
        targets.add("column " + c.getNumber());
        names.put("column " + c.getNumber(), "read " + c.getName() + " (" + c.getType().getName() + ")");
      }
    }
    targets.add("all");
    if (avro) {
      targets.addAll(List.of("records", "write"));
    }
    for (String t : targets) {
      double[] cpu = measure(t, TABLE_PASSES);
      Arrays.sort(cpu);
      double median = cpu[cpu.length / 2];
      out.printf(Locale.ROOT, "%-32s %8.1f ms CPU (median of %d) %8.1f M rows/s%n", names.getOrDefault(t, t),
          median * 1e3, cpu.length, rows / median / 1e6);
      out.flush();
    }
  }

  private double[] measure(String target, int passes) throws IOException {
    Work work = warm.get(target);
    if (work == null) {
      work = work(target);
      long end = System.nanoTime() + WARM_NANOS;
      for (int i = 0; i < WARM_PASSES || System.nanoTime() < end; i++) {
        work.run();
      }
      warm.put(target, work);
    }
    double[] cpu = new double[passes];
    for (int i = 0; i < passes; i++) {
      long t = threads.getCurrentThreadCpuTime();
      rows = work.run();
      cpu[i] = (threads.getCurrentThreadCpuTime() - t) / 1e9;
    }
    return cpu;
  }

  private Work work(String target) throws IOException {
    if (target.startsWith("column ")) {
      int number = Integer.parseInt(target.substring("column ".length()));
      return () -> column(number);
    }
    return switch (target) {
      case "all" -> this::allColumns;
      case "records" -> this::records;
      case "write" -> writing();
      default -> throw new IllegalArgumentException("no such target: " + target);
    };
  }

  private long column(int number) throws IOException {
    try (ColumnFileReader in = new ColumnFileReader(file)) {
      ColumnMetaData meta = in.getColumnMetaData(number);
      List<ColumnValues<?>> arrays = new ArrayList<>(); // from the outermost to the column itself
      for (ColumnMetaData m = meta; m != null; m = m.getParent()) {
        if (m.isArray()) {
          arrays.add(0, in.getValues(m.getNumber()));
        }
      }
      ColumnValues<?> values = meta.isArray() ? arrays.get(arrays.size() - 1) : in.getValues(number);
      long sum = 0;
      long n = in.getRowCount();
      for (long r = 0; r < n; r++) {
        for (ColumnValues<?> v : arrays) {
          v.startRow();
        }
        if (!meta.isArray()) {
          values.startRow();
        }
        sum += entry(arrays, 0, meta.isArray(), values);
      }
      sink += sum;
      return n;
    }
  }

  private static long entry(List<ColumnValues<?>> arrays, int depth, boolean array, ColumnValues<?> values) throws IOException {
    if (depth == arrays.size()) {
      return hash(values.nextValue());
    }
    ColumnValues<?> level = arrays.get(depth);
    boolean last = array && depth == arrays.size() - 1;
    long sum = 0;
    for (int n = level.nextLength(); n > 0; n--) {
      long own = hash(level.nextValue());
      sum += last ? own : entry(arrays, depth + 1, array, values);
    }
    return sum;
  }

  private static int hash(Object v) {
    return v == null ? 0 : v.hashCode();
  }

  private long allColumns() throws IOException {
    long columns;
    try (ColumnFileReader in = new ColumnFileReader(file)) {
      columns = in.getColumnCount();
    }
    long n = 0;
    for (int c = 0; c < columns; c++) {
      n = column(c);
    }
    return n;
  }

  private long records() throws IOException {
    try (AvroColumnReader<Object> in = new AvroColumnReader<>(new AvroColumnReader.Params(file))) {
      long n = in.getRowCount();
      for (long r = 0; r < n; r++) {
        sink += System.identityHashCode(in.next());
      }
      return n;
    }
  }

  /** Counts what would be written. */
  private static final class Discard extends OutputStream {
    private long bytes;

    @Override
    public void write(int b) {
      bytes++;
    }

    @Override
    public void write(byte[] b, int off, int len) {
      bytes += len;
    }
  }

  private Work writing() throws IOException {
    List<Object> sample = new ArrayList<>();
    Schema schema;
    String codec;
    String checksum;
    try (ColumnFileReader in = new ColumnFileReader(file)) {
      codec = in.getMetaData().getCodec();
      checksum = in.getMetaData().getChecksum();
    }
    try (AvroColumnReader<Object> in = new AvroColumnReader<>(new AvroColumnReader.Params(file))) {
      schema = in.getFileSchema();
      for (long n = Math.min(WRITE_SAMPLE, in.getRowCount()); n > 0; n--) {
        sample.add(in.next());
      }
    }
    return () -> {
      ColumnFileMetaData meta = new ColumnFileMetaData();
      if (codec != null) {
        meta.setCodec(codec);
      }
      if (checksum != null) {
        meta.setChecksum(checksum);
      }
      AvroColumnWriter<Object> w = new AvroColumnWriter<>(schema, meta);
      for (int i = 0; i < WRITE_ROWS; i++) {
        w.write(sample.get(i % sample.size()));
      }
      Discard to = new Discard();
      w.writeTo(to);
      sink += to.bytes;
      return WRITE_ROWS;
    };
  }
}
