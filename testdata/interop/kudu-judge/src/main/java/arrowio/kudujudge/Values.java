package arrowio.kudujudge;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Date;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.apache.kudu.client.PartialRow;

/** The value of a column in row i of a table, by the column's patterns. The same every time. */
final class Values {
  private static final String[] STRINGS = {
    "", "a", "\u00e9t\u00e9", "\u65e5\u672c\u8a9e", "\ud83d\ude80 rocket", "tab\there", "nl\nhere", "nul\u0000in", "quote\"'\\", " lead",
    "\u007f\u0080\u07ff\u0800\uffff",
  };
  private static final int FIRST_DAY = (int) LocalDate.of(1, 1, 1).toEpochDay();
  private static final int LAST_DAY = (int) LocalDate.of(9999, 12, 31).toEpochDay();

  private Values() {}

  /** version tells the values of an update from those before it. */
  static Object at(String table, Column c, int i, int version) {
    long z = (table + "/" + c.name + "#" + version).hashCode() * 0xBF58476D1CE4E5B9L + i * 0x94D049BB133111EBL;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    Random r = new Random(z ^ (z >>> 31));
    return isNull(c, i, r) ? null : value(c, i, r);
  }

  private static boolean isNull(Column c, int i, Random r) {
    if (c.nulls == null) {
      return false;
    }
    return switch (c.nulls) {
      case "none" -> false;
      case "all" -> true;
      case "alternate" -> i % 2 == 1;
      case "runs" -> i / 37 % 2 == 1;
      case "head" -> i < 90;
      case "tail" -> i >= 40;
      case "rare" -> i % 61 == 7;
      case "most" -> i % 53 != 11;
      case "some" -> r.nextInt(100) < 30;
      default -> throw new IllegalArgumentException(c.nulls);
    };
  }

  private static Object value(Column c, int i, Random r) {
    return switch (c.type) {
      case BOOL -> switch (c.values) {
        case "const" -> true;
        case "runs" -> i / 77 % 2 == 0;
        case "longruns" -> i / 999 % 2 == 0;
        case "sequence" -> i % 2 == 0;
        case "mixed" -> i / 64 % 2 == 0 || r.nextBoolean();
        default -> r.nextBoolean();
      };
      case INT8 -> (byte) integer(c, i, r, 8);
      case INT16 -> (short) integer(c, i, r, 16);
      case INT32 -> (int) integer(c, i, r, 32);
      case INT64 -> integer(c, i, r, 64);
      case UNIXTIME_MICROS -> c.values.equals("sequence") ? 1_700_000_000_000_000L + i * 1_000_003L : integer(c, i, r, 64);
      case DATE -> date(c, i, r);
      case FLOAT -> switch (c.values) {
        case "extreme" -> new float[] {0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE,
            Float.MAX_VALUE, -Float.MAX_VALUE, Float.MIN_NORMAL, 1.5f}[i % 10];
        case "random" -> Float.intBitsToFloat(r.nextInt());
        default -> integer(c, i, r, 16) / 8f;
      };
      case DOUBLE -> switch (c.values) {
        case "extreme" -> new double[] {0d, -0d, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE,
            Double.MAX_VALUE, -Double.MAX_VALUE, Double.MIN_NORMAL, 1.5}[i % 10];
        case "random" -> Double.longBitsToDouble(r.nextLong());
        default -> integer(c, i, r, 32) / 1024d;
      };
      case DECIMAL -> decimal(c, i, r);
      case STRING, VARCHAR -> string(c, i, r);
      case BINARY -> binary(c, i, r);
      default -> throw new IllegalArgumentException(c.type.toString());
    };
  }

  private static long integer(Column c, int i, Random r, int bits) {
    long max = -1L >>> (65 - bits);
    return switch (c.values) {
      case "const" -> 42;
      case "sequence" -> Math.min(max, i);
      case "runs" -> i / 29 % 5 - 2;
      case "longruns" -> i / 999 % 3;
      case "mixed" -> i / 100 % 2 == 0 ? 7 : r.nextLong() >> (64 - bits);
      case "small" -> r.nextInt(10);
      case "extreme" -> new long[] {-max - 1, max, 0, -1, 1, -max, max - 1}[i % 7];
      default -> r.nextLong() >> (64 - bits);
    };
  }

  private static Date date(Column c, int i, Random r) {
    long day = c.values.equals("extreme")
        ? new int[] {FIRST_DAY, LAST_DAY, 0, -1, 1, -141_428}[i % 6]
        : FIRST_DAY + Math.floorMod(integer(c, i, r, 32) - FIRST_DAY, LAST_DAY - FIRST_DAY + 1);
    return Date.valueOf(LocalDate.ofEpochDay(day));
  }

  private static BigDecimal decimal(Column c, int i, Random r) {
    BigInteger limit = BigInteger.TEN.pow(c.precision);
    BigInteger most = limit.subtract(BigInteger.ONE);
    BigInteger unscaled = switch (c.values) {
      case "extreme" -> new BigInteger[] {most, most.negate(), BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE.negate()}[i % 5];
      case "random" -> new BigInteger(130, r).mod(limit).multiply(BigInteger.valueOf(r.nextBoolean() ? 1 : -1));
      default -> BigInteger.valueOf(integer(c, i, r, 32)).remainder(limit);
    };
    return new BigDecimal(unscaled, c.scale);
  }

  private static String string(Column c, int i, Random r) {
    String s = switch (c.values) {
      case "const" -> "constant";
      case "sequence" -> String.format(Locale.ROOT, "key_%08d", i);
      case "runs" -> "run" + i / 23 % 4;
      case "longruns" -> "r" + i / 999 % 2;
      case "small" -> "v" + r.nextInt(12);
      case "extreme" -> STRINGS[i % STRINGS.length];
      case "wide" -> String.valueOf((char) ('a' + i % 26)).repeat(600 + i % 7);
      case "distinct" -> "d" + Integer.toString(i * 7919, 36);
      case "words300" -> "entry-" + (i * 7919 % 300);
      case "mixed" -> i / 50 % 2 == 0 ? "m" + r.nextInt(5) : letters(r, 1 + r.nextInt(20));
      default -> letters(r, r.nextInt(24));
    };
    return c.length > 0 && s.codePointCount(0, s.length()) > c.length ? s.substring(0, s.offsetByCodePoints(0, c.length)) : s;
  }

  static String letters(Random r, int n) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < n; i++) {
      s.append((char) ('a' + r.nextInt(26)));
    }
    return s.toString();
  }

  private static byte[] binary(Column c, int i, Random r) {
    switch (c.values) {
      case "const":
        return new byte[] {0, -1, 0};
      case "sequence":
        return ByteBuffer.allocate(9).put((byte) 0).putLong(i).array();
      case "extreme": {
        byte[] b = new byte[i % 6];
        Arrays.fill(b, (byte) (i % 2 == 0 ? 0 : -1));
        return b;
      }
      case "runs", "small":
        return new byte[] {(byte) (i / 31 % 6), 0, 1};
      default: {
        byte[] b = new byte[r.nextInt(20)];
        r.nextBytes(b);
        return b;
      }
    }
  }

  static void set(PartialRow row, Column c, Object v) {
    if (v == null) {
      row.setNull(c.name);
      return;
    }
    row.addObject(c.name, v);
  }
}
