package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TimeZone;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;

/** One file to be written: its schema, how many rows, and everything the writer can be told. */
final class Spec {
  private static final int BATCH = 500;

  final TypeDescription schema;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Map<String, byte[]> metadata = new LinkedHashMap<>();
  private long seed = 1;
  private int rows = 100;
  private int stripeRows;
  private int stride = 1000;
  private int block = 256 << 10;
  private CompressionKind codec = CompressionKind.ZLIB;
  private OrcFile.Version version = OrcFile.Version.V_0_12;
  private OrcFile.EncodingStrategy strategy = OrcFile.EncodingStrategy.SPEED;
  private OrcFile.BloomFilterVersion bloomVersion = OrcFile.BloomFilterVersion.UTF8;
  private double bloomMisses = 0.05;
  private String bloom;
  private String direct;
  private String encrypt;
  private String masks;
  private String zone = "UTC";
  private boolean proleptic;
  private boolean utcTimestamps;
  private boolean decimal64;
  private boolean repeats;

  Spec(TypeDescription schema) {
    this.schema = schema;
  }

  Spec(String schema) {
    this(TypeDescription.fromString(schema));
  }

  Spec seed(long s) {
    seed = s;
    return this;
  }

  Spec rows(int n) {
    rows = n;
    return this;
  }

  /** Stripes of so many rows; 0 = one. */
  Spec stripeRows(int n) {
    stripeRows = n;
    return this;
  }

  /** Rows of a row group; 0 = no index. */
  Spec stride(int n) {
    stride = n;
    return this;
  }

  Spec block(int n) {
    block = n;
    return this;
  }

  Spec codec(CompressionKind k) {
    codec = k;
    return this;
  }

  Spec version(OrcFile.Version v) {
    version = v;
    return this;
  }

  Spec strategy(OrcFile.EncodingStrategy s) {
    strategy = s;
    return this;
  }

  Spec bloom(String columns, double misses, OrcFile.BloomFilterVersion v) {
    bloom = columns;
    bloomMisses = misses;
    bloomVersion = v;
    return this;
  }

  Spec direct(String columns) {
    direct = columns;
    return this;
  }

  Spec encrypt(String columns, String masked) {
    encrypt = columns;
    masks = masked;
    return this;
  }

  Spec zone(String z) {
    zone = z;
    return this;
  }

  Spec proleptic(boolean p) {
    proleptic = p;
    return this;
  }

  Spec utcTimestamps(boolean u) {
    utcTimestamps = u;
    return this;
  }

  Spec decimal64(boolean d) {
    decimal64 = d;
    return this;
  }

  /** Batches are of any size, and most vectors repeat a value. */
  Spec repeats(boolean on) {
    repeats = on;
    return this;
  }

  Spec metadata(String key, byte[] value) {
    metadata.put(key, value);
    return this;
  }

  /** A setting by its name, for what has no method. */
  Spec set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  boolean encrypted() {
    return encrypt != null;
  }

  void write(File f) throws IOException {
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone(zone));
      try (Writer w = OrcFile.createWriter(OrcFiles.path(f), options())) {
        metadata.forEach((k, v) -> w.addUserMetadata(k, ByteBuffer.wrap(v)));
        Values values = new Values(schema, seed, zone, rows, stripeRows);
        Repeats repeat = new Repeats(seed);
        VectorizedRowBatch b = schema.createRowBatch(
            decimal64 ? TypeDescription.RowBatchVersion.USE_DECIMAL64 : TypeDescription.RowBatchVersion.ORIGINAL, BATCH);
        for (int at = 0; at < rows; at += b.size) {
          b.reset();
          Values.calendar(b.cols, proleptic);
          b.size = Math.min(repeats ? repeat.rows(BATCH) : BATCH, rows - at);
          if (stripeRows > 0) { // the writer ends a stripe between batches only
            b.size = Math.min(b.size, stripeRows - at % stripeRows);
          }
          for (int i = 0; i < b.size; i++) {
            values.fill(b, i);
          }
          if (repeats) {
            repeat.apply(b, schema);
          }
          w.addRowBatch(b);
        }
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  private OrcFile.WriterOptions options() throws IOException {
    Configuration conf = OrcFiles.configuration();
    if (stripeRows > 0) {
      conf.set("orc.stripe.row.count", Integer.toString(stripeRows));
    }
    settings.forEach(conf::set);
    OrcFile.WriterOptions o = OrcFile.writerOptions(conf)
        .setSchema(schema)
        .overwrite(true)
        .compress(codec)
        .version(version)
        .encodingStrategy(strategy)
        .buildIndex(stride > 0)
        .bufferSize(block)
        .enforceBufferSize()
        .setProlepticGregorian(proleptic)
        .useUTCTimestamp(utcTimestamps)
        .bloomFilterFpp(bloomMisses)
        .bloomFilterVersion(bloomVersion);
    if (stride > 0) {
      o.rowIndexStride(stride);
    }
    if (bloom != null) {
      o.bloomFilterColumns(bloom);
    }
    if (direct != null) {
      o.directEncodingColumns(direct);
    }
    if (encrypt != null) {
      o.setKeyProvider(OrcFiles.keys()).encrypt(encrypt);
      if (masks != null) {
        o.masks(masks);
      }
    }
    return o;
  }
}
