package arrowio.judge;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.EncoderFactory;

/**
 * Avro container files by Java, with the classes of trevni-judge on the class path:
 *
 * <pre>
 *   random SEED COUNT DIR   writes random files; beside each a text of what Java reads in it
 *   expect FILE...          writes that text beside files
 *   judge -                 reads lines of FILE, tab, TEXT; compares what Java reads in a file with a text
 *   schema SCHEMA ROWS SEED FILE CODEC   writes a file of random rows of a schema
 *   count FILE...           reads files and counts rows, for the clock
 * </pre>
 */
public final class AvroFiles {
  private AvroFiles() {}

  public static void main(String[] args) throws IOException {
    switch (args[0]) {
      case "random" -> random(Long.parseLong(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
      case "expect" -> {
        for (String f : List.of(args).subList(1, args.length)) {
          expect(new File(f));
        }
      }
      case "judge" -> judge();
      case "schema" -> {
        Random r = new Random(Long.parseLong(args[3]));
        RandomAvro data = new RandomAvro(Long.parseLong(args[3]));
        Schema s = new Schema.Parser().parse(Files.readString(Path.of(args[1])));
        write(new File(args[4]), s, data, r, Integer.parseInt(args[2]), codec(args[5]), false, 16000);
      }
      case "count" -> {
        for (String f : List.of(args).subList(1, args.length)) {
          count(new File(f));
        }
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static CodecFactory codec(String name) {
    return switch (name) {
      case "deflate" -> CodecFactory.deflateCodec(6);
      case "snappy" -> CodecFactory.snappyCodec();
      case "bzip2" -> CodecFactory.bzip2Codec();
      default -> CodecFactory.nullCodec();
    };
  }

  private static void random(long seed, int count, Path dir) throws IOException {
    for (int i = 0; i < count; i++) {
      RandomAvro data = new RandomAvro(seed + i);
      Random r = new Random(seed + i);
      Schema s = data.record(3);
      String codec = List.of("null", "deflate", "snappy", "bzip2").get(i % 4);
      boolean blocking = i % 3 == 0;
      File f = dir.resolve("random-" + i + "-" + codec + (blocking ? "-blocking" : "") + ".avro").toFile();
      write(f, s, data, r, r.nextInt(400), codec(codec), blocking, 64 + r.nextInt(4000));
      expect(f);
    }
  }

  private static void write(File f, Schema s, RandomAvro data, Random r, int rows, CodecFactory codec, boolean blocking, int block)
      throws IOException {
    byte[] sync = new byte[16];
    r.nextBytes(sync);
    try (DataFileWriter<Object> w = new DataFileWriter<>(new GenericDatumWriter<>(s))) {
      w.setCodec(codec).setSyncInterval(block).setMeta("about", "made by AvroFiles");
      if (blocking) {
        w.setEncoder(out -> new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(out, null));
      }
      w.create(s, Files.newOutputStream(f.toPath()), sync);
      for (int i = 0; i < rows; i++) {
        w.append(data.datum(s));
      }
    }
  }

  /** A line with the schema's text, then a record a line. */
  private static String text(File f) throws IOException {
    StringBuilder b = new StringBuilder();
    try (DataFileReader<Object> in = new DataFileReader<>(f, new GenericDatumReader<>(null, null, plain()))) {
      Json.string(b, new String(in.getMeta("avro.schema"), StandardCharsets.UTF_8));
      b.append('\n');
      Schema s = in.getSchema();
      while (in.hasNext()) {
        AvroText.datum(b, in.next(), s);
        b.append('\n');
      }
    }
    return b.toString();
  }

  /** Values of logical types as they are stored. */
  private static GenericData plain() {
    return new GenericData();
  }

  private static void expect(File f) throws IOException {
    Files.writeString(Path.of(f + ".txt"), text(f));
  }

  private static void judge() throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] p = line.split("\t");
      try {
        List<String> got = text(new File(p[0])).lines().toList();
        List<String> want = Files.readAllLines(Path.of(p[1]));
        String verdict = got.size() == want.size() ? "equal" : got.size() + " lines, want " + want.size();
        for (int i = 1; verdict.equals("equal") && i < got.size(); i++) {
          if (!got.get(i).equals(want.get(i))) {
            verdict = "line " + i + ": " + got.get(i) + " want " + want.get(i);
          }
        }
        out.println(verdict + "\t" + p[0]);
      } catch (RuntimeException | IOException e) {
        out.println("refused: " + e + "\t" + p[0]);
      }
    }
  }

  private static void count(File f) throws IOException {
    for (int i = 0; i < 4; i++) {
      long began = System.nanoTime();
      long n = 0;
      try (DataFileReader<Object> in = new DataFileReader<>(f, new GenericDatumReader<>())) {
        for (Object o = null; in.hasNext(); n++) {
          o = in.next(o);
        }
      }
      System.out.printf("%d rows %.3f s%n", n, (System.nanoTime() - began) / 1e9);
    }
  }
}
