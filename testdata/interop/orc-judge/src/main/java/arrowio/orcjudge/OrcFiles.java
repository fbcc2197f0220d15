package arrowio.orcjudge;

import java.io.File;
import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.EncryptionAlgorithm;
import org.apache.orc.InMemoryKeystore;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;

/** How files are opened: on the local disk, without side files, times as UTC and in the proleptic calendar. */
final class OrcFiles {
  private OrcFiles() {}

  static Configuration configuration() {
    Configuration conf = new Configuration(false);
    conf.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    return conf;
  }

  static Path path(File f) {
    return new Path(f.toURI());
  }

  static Reader open(File f, boolean withKeys) throws IOException {
    OrcFile.ReaderOptions o =
        OrcFile.readerOptions(configuration()).useUTCTimestamp(true).convertToProlepticGregorian(true);
    if (withKeys) {
      o.setKeyProvider(keys());
    }
    return OrcFile.createReader(path(f), o);
  }

  /**
   * The master keys of encrypted fixtures, the ones of testdata/orc/keys.json. The keys of columns that it makes up are
   * the same for every file.
   */
  static InMemoryKeystore keys() throws IOException {
    byte[] pii = new byte[16];
    byte[] credit = new byte[32];
    for (int i = 0; i < pii.length; i++) {
      pii[i] = (byte) i;
    }
    for (int i = 0; i < credit.length; i++) {
      credit[i] = (byte) (0x20 + i);
    }
    return new InMemoryKeystore(new Random(7))
        .addKey("pii", EncryptionAlgorithm.AES_CTR_128, pii)
        .addKey("credit", EncryptionAlgorithm.AES_CTR_256, credit);
  }
}
