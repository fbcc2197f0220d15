package arrowio.judge;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.trevni.ValueType;

/** Values of the Trevni types: the ones at the edges of their encodings, and random ones. */
final class RandomData {
  private static final String WORDS = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod ";

  private final Random random;

  RandomData(long seed) {
    random = new Random(seed);
  }

  Random random() {
    return random;
  }

  /** The values where an encoding of the type changes its length or a reader may go wrong. */
  static List<Object> edges(ValueType t) {
    List<Object> v = new java.util.ArrayList<>();
    switch (t) {
      case NULL -> v.add(null);
      case BOOLEAN -> v.addAll(List.of(true, false, false, true, true, true, false, true, false, true));
      case INT, FIXED32 -> {
        v.addAll(List.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE + 1));
        for (int bits = 6; bits < 32; bits += 7) { // a zig-zag varint grows by a byte here
          v.addAll(List.of((1 << bits) - 1, 1 << bits, -(1 << bits), -(1 << bits) - 1));
        }
      }
      case LONG, FIXED64 -> {
        v.addAll(List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, -(1L << 31) - 1));
        for (int bits = 6; bits < 64; bits += 7) {
          v.addAll(List.of((1L << bits) - 1, 1L << bits, -(1L << bits), -(1L << bits) - 1));
        }
      }
      case FLOAT -> {
        for (int bits : new int[] {0, 0x80000000, 1, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
          0xffc12345, 0x3f800000, 0x00800000, 0x007fffff}) {
          v.add(Float.intBitsToFloat(bits));
        }
      }
      case DOUBLE -> {
        for (long bits : new long[] {0, 1L << 63, 1, 0x7fefffffffffffffL, 0x7ff0000000000000L, 0xfff0000000000000L,
          0x7ff8000000000000L, 0x7ff0000000000001L, 0xfff8123456789abcL, 0x3ff0000000000000L, 0x0010000000000000L}) {
          v.add(Double.longBitsToDouble(bits));
        }
      }
      case STRING -> v.addAll(List.of("", "a", "\0", "\u007f\u0080", "Zürich", "\u07ff\u0800\uffff", "日本語", "😀\uD83D\uDE80",
          "\"quoted\\\"\n\t\u0001\u2028", "\ufeffbom", WORDS.substring(0, 63), WORDS.substring(0, 64), WORDS.repeat(4)));
      case BYTES -> {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
          all[i] = (byte) i;
        }
        v.addAll(List.of(ByteBuffer.wrap(new byte[0]), ByteBuffer.wrap(new byte[] {0}), ByteBuffer.wrap(all),
            ByteBuffer.wrap(new byte[] {-1, -2, (byte) 0xc3})));
      }
      default -> throw new IllegalArgumentException("no values of " + t);
    }
    return v;
  }

  /** The n-th value of a column: first the edges, then random ones. */
  Object value(ValueType t, int n) {
    List<Object> edges = edges(t);
    return n < edges.size() ? edges.get(n) : value(t);
  }

  Object value(ValueType t) {
    return switch (t) {
      case NULL -> null;
      case BOOLEAN -> random.nextBoolean();
      case INT, FIXED32 -> random.nextInt() >> random.nextInt(32);
      case LONG, FIXED64 -> random.nextLong() >> random.nextInt(64);
      case FLOAT -> random.nextInt(8) == 0 ? Float.intBitsToFloat(random.nextInt()) : random.nextInt(4000) / 8f;
      case DOUBLE -> random.nextInt(8) == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextInt(4000) / 16d;
      case STRING -> string();
      case BYTES -> bytes(random.nextInt(12));
      default -> throw new IllegalArgumentException("no values of " + t);
    };
  }

  ByteBuffer bytes(int n) {
    byte[] b = new byte[n];
    random.nextBytes(b);
    return ByteBuffer.wrap(b);
  }

  private String string() {
    if (random.nextInt(10) == 0) {
      return new String(Character.toChars(0x1f600 + random.nextInt(64))) + (char) (0xa1 + random.nextInt(600));
    }
    int from = random.nextInt(WORDS.length() - 20);
    return WORDS.substring(from, from + random.nextInt(20));
  }
}
