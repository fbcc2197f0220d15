package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.util.Random;
import org.apache.avro.Schema;

/** Files of random schemas and data over every codec and checksum, for comparisons that nothing was tuned to. */
final class RandomFiles {
  private static final String[] CODECS = {"null", "deflate", "snappy", "bzip2"};

  private RandomFiles() {}

  static void write(File dir, int count, long seed) throws IOException {
    if (!dir.isDirectory() && !dir.mkdirs()) {
      throw new IOException("cannot make " + dir);
    }
    for (int i = 0; i < count; i++) {
      RandomAvro avro = new RandomAvro(seed * 1_000_003 + i);
      Random r = new Random(seed + i);
      String codec = CODECS[i % CODECS.length];
      // the reader refuses what the writer makes of crc32 without a codec
      String checksum = i % CODECS.length != 0 && r.nextBoolean() ? "crc32" : null;
      Schema s = avro.record(1 + r.nextInt(4));
      File f = new File(dir, String.format("random-%04d.trv", i));
      AvroFixtures.file(f, s, r.nextInt(120), codec, checksum, avro::datum);
      Main.expect(f);
    }
  }
}
