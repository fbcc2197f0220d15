import io.airlift.compress.Compressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lzo.LzoCompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Writes the blocks that aircompressor 0.27 (what ORC's Java writer uses) and the JDK make of raw.bin. */
public class Make {
  static byte[] block(Compressor c, byte[] raw) {
    byte[] out = new byte[c.maxCompressedLength(raw.length)];
    return Arrays.copyOf(out, c.compress(raw, 0, raw.length, out, 0, out.length));
  }

  public static void main(String[] args) throws Exception {
    Path dir = Path.of(args[0]);
    byte[] raw = Files.readAllBytes(dir.resolve("raw.bin"));
    Files.write(dir.resolve("lzo-aircompressor0.27.bin"), block(new LzoCompressor(), raw));
    Files.write(dir.resolve("lz4-aircompressor0.27.bin"), block(new Lz4Compressor(), raw));
    Files.write(dir.resolve("snappy-aircompressor0.27.bin"), block(new SnappyCompressor(), raw));
    Files.write(dir.resolve("zstd-aircompressor0.27.bin"), block(new ZstdCompressor(), raw));
    Deflater deflater = new Deflater(-1, true);
    deflater.setInput(raw);
    deflater.finish();
    byte[] out = new byte[raw.length + 100];
    Files.write(dir.resolve("deflate-jdk.bin"), Arrays.copyOf(out, deflater.deflate(out)));
  }
}
