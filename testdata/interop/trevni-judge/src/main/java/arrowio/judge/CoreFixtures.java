package arrowio.judge;

import java.io.File;
import java.io.IOException;
import java.util.Random;
import org.apache.trevni.ColumnFileMetaData;
import org.apache.trevni.ColumnFileWriter;
import org.apache.trevni.ColumnMetaData;
import org.apache.trevni.ValueType;

/** Files of the column writer: every type, codec and shape that the format itself has. */
final class CoreFixtures {
  private static final ValueType[] TYPES = ValueType.values();

  private CoreFixtures() {}

  /** Writes the rows of a file. */
  @FunctionalInterface
  private interface Rows {
    void write(ColumnFileWriter w, long row) throws IOException;
  }

  static void write(Fixtures to) throws IOException {
    primitives(to);
    small(to);
    arrays(to);
    blocks(to);
    firstValues(to);
    metadata(to);
  }

  private static void file(File f, ColumnFileMetaData meta, long rows, ColumnMetaData[] columns, Rows body)
      throws IOException {
    ColumnFileWriter w = new ColumnFileWriter(meta, columns);
    for (long r = 0; r < rows; r++) {
      w.startRow();
      body.write(w, r);
      w.endRow();
    }
    w.writeTo(f);
  }

  private static ColumnFileMetaData meta(String codec, String checksum) {
    ColumnFileMetaData m = new ColumnFileMetaData();
    if (codec != null) {
      m.setCodec(codec);
    }
    if (checksum != null) {
      m.setChecksum(checksum);
    }
    return m;
  }

  /** A column for each type, named after it. */
  private static ColumnMetaData[] allTypes() {
    ColumnMetaData[] c = new ColumnMetaData[TYPES.length];
    for (int i = 0; i < c.length; i++) {
      c[i] = new ColumnMetaData(TYPES[i].getName(), TYPES[i]);
    }
    return c;
  }

  private static Rows edgesThenRandom(long seed) {
    RandomData data = new RandomData(seed);
    return (w, r) -> {
      for (int c = 0; c < TYPES.length; c++) {
        w.writeValue(data.value(TYPES[c], (int) r), c);
      }
    };
  }

  private static void primitives(Fixtures to) throws IOException {
    String all = "every type, the edges of its encoding first";
    for (String codec : new String[] {null, "null", "deflate", "snappy", "bzip2"}) {
      for (String checksum : new String[] {null, "null", "crc32"}) {
        if ((codec == null) != (checksum == null)) {
          continue; // absent means null; one file shows it
        }
        boolean zero = "null".equals(codec) && "crc32".equals(checksum);
        String name = "prim-" + (codec == null ? "absent" : codec) + "-" + (checksum == null ? "absent" : checksum);
        File f = zero
            ? to.add(name, all + "; the writer stores 00000000 for the CRC of every block", "crc32-of-null-codec-is-zero")
            : to.add(name, all);
        file(f, meta(codec, checksum), 100, allTypes(), edgesThenRandom(1));
      }
    }
  }

  private static void small(Fixtures to) throws IOException {
    file(to.add("rows0", "no rows: every column has no blocks"), meta("deflate", "crc32"), 0, allTypes(), null);
    file(to.add("rows0-arrays", "no rows, array columns and a child"), meta(null, null), 0,
        new ColumnMetaData[] {array("a", ValueType.NULL, null), array("b", ValueType.INT, null), child("c", ValueType.STRING, "a")},
        null);
    file(to.add("rows1", "one row"), meta("snappy", null), 1, allTypes(), edgesThenRandom(2));
    file(to.add("rows7", "seven rows"), meta("deflate", "crc32"), 7, allTypes(), edgesThenRandom(2));
    file(to.add("columns0", "no columns, no rows"), meta(null, null), 0, new ColumnMetaData[0], null);
    file(to.add("columns0-rows5", "no columns but five rows"), meta("deflate", null), 5, new ColumnMetaData[0], (w, r) -> {});
    file(to.add("nulls", "a null column, a null array, a null child"), meta("deflate", "crc32"), 300,
        new ColumnMetaData[] {
          new ColumnMetaData("n", ValueType.NULL), array("a", ValueType.NULL, null), child("k", ValueType.NULL, "a")
        },
        (w, r) -> {
          w.writeValue(null, 0);
          int n = (int) (r % 4);
          w.writeLength(n, 1);
          for (int i = 0; i < n; i++) {
            w.writeValue(null, 1);
            w.writeValue(null, 2);
          }
        });
  }

  private static ColumnMetaData array(String name, ValueType t, ColumnMetaData parent) {
    ColumnMetaData c = new ColumnMetaData(name, t).isArray(true);
    if (parent != null) {
      c.setParent(parent);
    }
    return c;
  }

  /** A child whose parent is a column of that name in the same file; only the name is stored. */
  private static ColumnMetaData child(String name, ValueType t, String parent) {
    return new ColumnMetaData(name, t).setParent(new ColumnMetaData(parent, ValueType.NULL).isArray(true));
  }

  private static void arrays(Fixtures to) throws IOException {
    ColumnMetaData[] each = new ColumnMetaData[TYPES.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = array(TYPES[i].getName() + "[]", TYPES[i], null);
    }
    RandomData data = new RandomData(3);
    arrayFile(to.add("arrays-all-types", "an array column of every type, lengths 0 to 4"), "snappy", 120, each, data,
        (r, c) -> data.random().nextInt(5));
    arrayFile(to.add("arrays-runs", "lengths in long runs of 0 and of 1 and singly between"), "deflate", 400, each, data,
        (r, c) -> {
          long phase = (r + 7L * c) % 100;
          return phase < 35 ? 0 : phase < 70 ? 1 : data.random().nextInt(3);
        });
    arrayFile(to.add("arrays-all-empty", "every array empty: one run"), "null", 500, each, data, (r, c) -> 0);
    arrayFile(to.add("arrays-all-one", "every array of one value"), "deflate", 200, each, data, (r, c) -> 1);
    nested(to);
  }

  @FunctionalInterface
  private interface Length {
    int of(long row, int column);
  }

  private static void arrayFile(File f, String codec, long rows, ColumnMetaData[] columns, RandomData data, Length length)
      throws IOException {
    file(f, meta(codec, null), rows, columns, (w, r) -> {
      for (int c = 0; c < columns.length; c++) {
        int n = length.of(r, c);
        w.writeLength(n, c);
        for (int i = 0; i < n; i++) {
          w.writeValue(data.value(columns[c].getType()), c);
        }
      }
    });
  }

  /** Arrays in arrays in arrays, the second of them with values of its own, children of every type. */
  private static void nested(Fixtures to) throws IOException {
    ColumnMetaData a = array("a", ValueType.NULL, null);
    ColumnMetaData b = array("b", ValueType.STRING, a);
    ColumnMetaData c = array("c", ValueType.NULL, b);
    ColumnMetaData[] columns = new ColumnMetaData[6 + TYPES.length];
    columns[0] = new ColumnMetaData("id", ValueType.INT);
    columns[1] = a;
    columns[2] = new ColumnMetaData("a.flag", ValueType.BOOLEAN).setParent(a);
    columns[3] = b;
    columns[4] = c;
    columns[5] = array("c.bits", ValueType.BOOLEAN, c);
    for (int i = 0; i < TYPES.length; i++) {
      columns[6 + i] = new ColumnMetaData("c." + TYPES[i].getName(), TYPES[i]).setParent(c);
    }
    RandomData data = new RandomData(4);
    Random random = data.random();
    file(to.add("nested3", "arrays three deep, an inner one with its own values, children of every type"),
        meta("deflate", "crc32"), 150, columns, (w, r) -> {
          w.writeValue((int) r, 0);
          int na = random.nextInt(4);
          w.writeLength(na, 1);
          for (int i = 0; i < na; i++) {
            w.writeValue(null, 1);
            w.writeValue(data.value(ValueType.BOOLEAN), 2);
            int nb = random.nextInt(3);
            w.writeLength(nb, 3);
            for (int j = 0; j < nb; j++) {
              w.writeValue(data.value(ValueType.STRING), 3);
              int nc = random.nextInt(3);
              w.writeLength(nc, 4);
              for (int k = 0; k < nc; k++) {
                w.writeValue(null, 4);
                int bits = random.nextInt(11);
                w.writeLength(bits, 5);
                for (int l = 0; l < bits; l++) {
                  w.writeValue(data.value(ValueType.BOOLEAN), 5);
                }
                for (int t = 0; t < TYPES.length; t++) {
                  w.writeValue(data.value(TYPES[t]), 6 + t);
                }
              }
            }
          }
        });
  }

  private static void blocks(Fixtures to) throws IOException {
    file(to.add("blocks-long", "a long column of several blocks"), meta("deflate", "crc32"), 30_000,
        new ColumnMetaData[] {new ColumnMetaData("id", ValueType.LONG)},
        (w, r) -> w.writeValue(1_700_000_000_000L + 1000 * r, 0));
    file(to.add("blocks-string", "a string column of many blocks"), meta("snappy", "crc32"), 12_000,
        new ColumnMetaData[] {new ColumnMetaData("s", ValueType.STRING)},
        (w, r) -> w.writeValue("row " + r / 100 + " of a table with plain words", 0));
    file(to.add("blocks-plain", "no codec, several blocks, edges of columns not in line"), meta("null", null), 17_000,
        new ColumnMetaData[] {
          new ColumnMetaData("f64", ValueType.FIXED64), new ColumnMetaData("f", ValueType.FLOAT),
          new ColumnMetaData("n", ValueType.NULL), new ColumnMetaData("b", ValueType.BOOLEAN)
        },
        (w, r) -> {
          w.writeValue(r * r, 0);
          w.writeValue(r / 4f, 1);
          w.writeValue(null, 2);
          w.writeValue(r % 3 == 0, 3);
        });
    ColumnMetaData tags = array("tags", ValueType.STRING, null);
    ColumnMetaData points = array("points", ValueType.NULL, null);
    ColumnMetaData x = new ColumnMetaData("points.x", ValueType.DOUBLE).setParent(points);
    ColumnMetaData path = array("points.path", ValueType.INT, points);
    file(to.add("blocks-arrays", "arrays and children of several blocks, edges not in line"), meta("deflate", null), 8_000,
        new ColumnMetaData[] {tags, points, x, path}, (w, r) -> {
          int n = (int) (r % 4);
          w.writeLength(n, 0);
          for (int i = 0; i < n; i++) {
            w.writeValue("tag number " + (r + i) % 50, 0);
          }
          int m = (int) (r % 3);
          w.writeLength(m, 1);
          for (int i = 0; i < m; i++) {
            w.writeValue(null, 1);
            w.writeValue(i + (r % 64) / 8d, 2);
            w.writeLength(6, 3);
            for (int k = 0; k < 6; k++) {
              w.writeValue((int) (r % 100) * 1000 + k, 3);
            }
          }
        });
    file(to.add("blocks-boolean-edge", "the writer ends a boolean block after 524281 rows, one bit into its last byte"),
        meta("deflate", null), 525_000, new ColumnMetaData[] {new ColumnMetaData("b", ValueType.BOOLEAN)},
        (w, r) -> w.writeValue(r % 7 < 3, 0));
    String block = "0123456789abcdef".repeat(4096);
    file(to.add("big-values", "values larger than a block, alone and after one another"), meta("deflate", "crc32"), 6,
        new ColumnMetaData[] {new ColumnMetaData("s", ValueType.STRING), new ColumnMetaData("i", ValueType.INT)},
        (w, r) -> {
          w.writeValue(r % 2 == 0 ? "x" : block + r + block, 0);
          w.writeValue((int) r, 1);
        });
  }

  private static void firstValues(Fixtures to) throws IOException {
    ValueType[] types = {ValueType.INT, ValueType.LONG, ValueType.FIXED32, ValueType.FIXED64, ValueType.FLOAT,
      ValueType.DOUBLE, ValueType.STRING, ValueType.BYTES, ValueType.LONG};
    ColumnMetaData[] columns = new ColumnMetaData[types.length];
    for (int c = 0; c < columns.length; c++) {
      boolean repeats = c == columns.length - 1;
      columns[c] = new ColumnMetaData(repeats ? "repeats" : types[c].getName(), types[c]).hasIndexValues(true);
    }
    Rows sorted = (w, r) -> {
      int i = (int) r;
      w.writeValue(1_000_000_000 + 2 * i, 0);
      w.writeValue(1_700_000_000_000L + 5L * i, 1);
      w.writeValue(i - 8000, 2);
      w.writeValue(3L * i, 3);
      w.writeValue(i / 2f, 4);
      w.writeValue(i / 4d, 5);
      w.writeValue(String.format("key-%08d", i), 6);
      w.writeValue(java.nio.ByteBuffer.wrap(new byte[] {(byte) (i >> 16), (byte) (i >> 8), (byte) i, 0, 0, 0, 0, 0}), 7);
      w.writeValue((1L << 40) + r / 12_000, 8); // one value across the edge of two blocks
    };
    file(to.add("first-values", "trevni.values on sorted columns of every indexable type, several blocks each"),
        meta("deflate", "crc32"), 16_500, columns, sorted);
    file(to.add("first-values-plain", "trevni.values without a codec"), meta(null, null), 9_000,
        new ColumnMetaData[] {new ColumnMetaData("k", ValueType.FIXED64).hasIndexValues(true)},
        (w, r) -> w.writeValue(r / 2, 0));
    file(to.add("first-values-unsorted", "trevni.values on a column that is not sorted"), meta("deflate", null), 30_000,
        new ColumnMetaData[] {new ColumnMetaData("k", ValueType.LONG).hasIndexValues(true)},
        (w, r) -> w.writeValue((1L << 44) + r * 7919 % 30_011, 0));
    file(to.add("first-values-boolean", "trevni.values on boolean and null columns of one block"), meta("deflate", null), 400,
        new ColumnMetaData[] {
          new ColumnMetaData("b", ValueType.BOOLEAN).hasIndexValues(true), new ColumnMetaData("n", ValueType.NULL).hasIndexValues(true)
        },
        (w, r) -> {
          w.writeValue(r % 5 != 0, 0);
          w.writeValue(null, 1);
        });
    for (boolean indexed : new boolean[] {true, false}) {
      File f = indexed
          ? to.add("first-values-boolean-2blocks", "trevni.values on a boolean column of two blocks: the reader loses its place",
              "boolean-values-of-several-blocks")
          : to.add("first-values-boolean-2blocks-without", "the rows of first-values-boolean-2blocks without trevni.values");
      file(f, meta("deflate", null), 525_000,
          new ColumnMetaData[] {new ColumnMetaData("b", ValueType.BOOLEAN).hasIndexValues(indexed)},
          (w, r) -> w.writeValue(r % 11 < 4, 0));
    }
  }

  private static void metadata(Fixtures to) throws IOException {
    ColumnFileMetaData m = meta("deflate", "crc32");
    m.set("user.text", "Zürich");
    m.set("user.number", -77L);
    m.set("user.bytes", new byte[] {(byte) 0xff, 0, 1});
    m.set("user.empty", "");
    ColumnMetaData plain = new ColumnMetaData("as the file", ValueType.STRING);
    ColumnMetaData[] columns = {
      plain,
      new ColumnMetaData("snappy", ValueType.STRING).setCodec("snappy"),
      new ColumnMetaData("bzip2", ValueType.STRING).setCodec("bzip2").setChecksum("null"),
      new ColumnMetaData("null", ValueType.STRING).setCodec("null").setChecksum("null"),
      new ColumnMetaData("described", ValueType.LONG).set("unit", "ms").set("user.bytes", new byte[] {(byte) 0x80}),
    };
    RandomData data = new RandomData(5);
    file(to.add("overrides", "codec and checksum of a column before the file's; metadata of users, file and column"), m, 80,
        columns, (w, r) -> {
          for (int c = 0; c < columns.length; c++) {
            w.writeValue(data.value(columns[c].getType()), c);
          }
        });
    String[] names = {"", " ", "a.b", "a#b[]>/", "Zürich 日本 😀", "\n\"\\", "x".repeat(300), "trevni.name", "A", "a"};
    ColumnMetaData[] odd = new ColumnMetaData[names.length];
    for (int c = 0; c < odd.length; c++) {
      odd[c] = new ColumnMetaData(names[c], ValueType.INT);
    }
    file(to.add("names", "odd names of columns, all legal"), meta(null, null), 3, odd, (w, r) -> {
      for (int c = 0; c < odd.length; c++) {
        w.writeValue((int) r * 100 + c, c);
      }
    });
  }
}
