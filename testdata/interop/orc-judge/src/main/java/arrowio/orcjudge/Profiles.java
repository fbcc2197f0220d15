package arrowio.orcjudge;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.SplittableRandom;

/**
 * What the values of a column look like: value n follows from the name of a profile, a seed and the values before. A name
 * that a kind of value does not know stands for something mixed.
 */
final class Profiles {
  private Profiles() {}

  /** One column: its profile, its random numbers, and where it is. */
  static final class State {
    final SplittableRandom r;
    final String profile;
    final String nulls;
    /** Slots so far, null ones included. */
    long slots;
    /** Values so far. */
    private long values;
    private long current;
    private int left;
    private int mode;

    State(long seed, String profile, String nulls) {
      this.r = new SplittableRandom(seed);
      this.profile = profile;
      this.nulls = nulls;
    }
  }

  static final String[] INTEGERS = {
    "const", "zero", "least", "mono", "desc", "monod", "descd", "delta01", "small", "signs", "outlier", "negoutlier",
    "wideoutlier", "gapoutlier", "extreme", "extremes", "runs", "saw", "widths", "mix",
  };

  static long integer(State c, int bits) {
    long least = bits == 64 ? Long.MIN_VALUE : -(1L << (bits - 1));
    long most = ~least;
    long n = c.values++;
    long v = switch (c.profile) {
      case "const" -> 42;
      case "zero" -> 0;
      case "least" -> least;
      case "mono" -> n * 3;
      case "desc" -> 10000 - n * 7;
      case "monod" -> c.current += 1 + c.r.nextInt(30);
      case "descd" -> c.current -= 1 + c.r.nextInt(30);
      case "delta01" -> c.current += c.r.nextInt(2);
      case "small" -> c.r.nextInt(16);
      case "signs" -> c.r.nextInt(31) - 15;
      // Few values far from the others: patched base.
      case "outlier" -> c.r.nextInt(30) == 0 ? c.r.nextInt(1 << 20) : 2000 + c.r.nextInt(100);
      case "negoutlier" ->
          c.r.nextInt(30) == 0 ? c.r.nextLong(1L << Math.min(40, bits - 2)) : -2000 - c.r.nextInt(100);
      case "wideoutlier" -> c.r.nextInt(40) == 0 ? c.r.nextLong(1L << (bits - 2)) : c.r.nextInt(4);
      // More than 255 values between patches.
      case "gapoutlier" -> n % 512 == 300 || n % 512 == 511 ? 1L << Math.min(40, bits - 2) : n % 3;
      case "extreme" -> (n & 1) == 0 ? least : most;
      case "extremes" -> new long[] {least, most, 0, -1, 1, c.r.nextLong()}[c.r.nextInt(6)];
      case "runs" -> {
        if (c.left == 0) {
          c.left = 1 + c.r.nextInt(c.r.nextInt(4) == 0 ? 1100 : 14);
          c.current = c.r.nextInt(2000) - 1000;
        }
        c.left--;
        yield c.current;
      }
      case "saw" -> n % 130;
      case "widths" -> width(c, n, bits);
      case "seq" -> n;
      case "days" -> n / 500;
      default -> mixed(c);
    };
    return v << (64 - bits) >> (64 - bits);
  }

  /** Twenty values of one width, then some that are equal, so that the writer begins a run: each width in turn. */
  private static long width(State c, long n, int bits) {
    int w = 1 + (int) (n / 32 % bits);
    if (n % 32 <= 20) {
      long mask = w == 64 ? -1L : (1L << w) - 1;
      long unsigned = c.r.nextLong() & mask | (n % 32 == 3 ? 1L << (w - 1) : 0);
      c.current = unsigned >>> 1 ^ -(unsigned & 1);
    }
    return c.current;
  }

  private static long mixed(State c) {
    if (c.left == 0) {
      c.left = 1 + c.r.nextInt(40);
      c.mode = c.r.nextInt(5);
      c.current = c.r.nextInt(100000) - 50000;
    }
    c.left--;
    return switch (c.mode) {
      case 0 -> c.current;
      case 1 -> c.current += 5;
      case 2 -> c.r.nextInt(256) - 128;
      case 3 -> c.r.nextLong() >> c.r.nextInt(63);
      default -> c.current -= c.r.nextInt(9);
    };
  }

  static final String[] BOOLEANS = {"const", "zero", "alternate", "runs", "mix"};

  static boolean bool(State c) {
    long n = c.values++;
    return switch (c.profile) {
      case "const" -> true;
      case "zero" -> false;
      case "alternate" -> (n & 1) == 0;
      case "runs" -> {
        if (c.left == 0) {
          c.left = 1 + c.r.nextInt(900);
          c.mode ^= 1;
        }
        c.left--;
        yield c.mode == 1;
      }
      default -> c.r.nextBoolean();
    };
  }

  static final String[] DOUBLES = {"const", "special", "price", "finite", "mix"};

  private static final double[] SPECIAL = {
    0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -Double.MIN_VALUE,
    Double.MAX_VALUE, Float.MIN_VALUE, Float.MAX_VALUE, 1e-310, 3.0000001,
  };

  static double floating(State c, boolean single) {
    return switch (c.profile) {
      case "const" -> 1.5;
      case "special" -> SPECIAL[c.r.nextInt(SPECIAL.length)];
      case "price" -> Math.round(c.r.nextDouble() * 100000) / 100.0;
      case "finite" -> c.r.nextInt(2000) - 1000;
      // Any bits, the payloads of NaN among them.
      default -> single ? Float.intBitsToFloat(c.r.nextInt()) : Double.longBitsToDouble(c.r.nextLong());
    };
  }

  static final String[] TEXTS = {
    "const", "empty", "dict", "dictunicode", "dictskew", "direct", "unicode", "seq", "lengths", "long", "mix",
  };

  static byte[] text(State c) {
    long n = c.values++;
    String s = switch (c.profile) {
      case "const" -> "constant";
      case "empty" -> "";
      case "dict" -> "k" + c.r.nextInt(40);
      case "dictunicode" -> unicode(new SplittableRandom(c.r.nextInt(50)), 6);
      case "dictskew" -> c.r.nextInt(10) != 0 ? "A" : "z" + c.r.nextInt(300);
      case "direct" -> letters(c.r, 3 + c.r.nextInt(20)) + n;
      case "unicode" -> unicode(c.r, c.r.nextInt(14));
      case "seq" -> String.format("row-%08d", n);
      case "lengths" -> letters(c.r, c.r.nextInt(20) == 0 ? c.r.nextInt(600) : c.r.nextInt(4));
      // Longer than what statistics hold.
      case "long" -> letters(c.r, 4).repeat(258 + c.r.nextInt(5));
      // Longer than a compression block.
      case "huge" -> n % 29 == 5 ? letters(c.r, 4500 + c.r.nextInt(900)) : letters(c.r, 5);
      case "hugezip" -> n % 61 == 5 ? "ab".repeat(150000 + (int) n) : "x";
      default -> switch (c.r.nextInt(6)) {
        case 0, 1 -> "";
        case 2, 3 -> "m" + c.r.nextInt(20);
        default -> unicode(c.r, c.r.nextInt(8));
      };
    };
    return s.getBytes(StandardCharsets.UTF_8);
  }

  /** Bytes that are mostly not UTF-8. */
  static byte[] binary(State c) {
    byte[] b = text(c);
    if (b.length < 4096) {
      for (int i = 0; i < b.length; i += 3) {
        b[i] = (byte) c.r.nextInt(256);
      }
    }
    return b;
  }

  private static String letters(SplittableRandom r, int length) {
    StringBuilder b = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      b.append((char) ('a' + r.nextInt(26)));
    }
    return b.toString();
  }

  private static String unicode(SplittableRandom r, int length) {
    StringBuilder b = new StringBuilder();
    for (int i = 0; i < length; i++) {
      switch (r.nextInt(6)) {
        case 0 -> b.appendCodePoint(0x1F600 + r.nextInt(60));
        case 1 -> b.appendCodePoint(0x4E00 + r.nextInt(5000));
        case 2 -> b.appendCodePoint(0xC0 + r.nextInt(200));
        case 3 -> b.append("\u0000\n\"\\\u007f\ufffd\uffff".charAt(r.nextInt(7)));
        default -> b.append((char) ('a' + r.nextInt(26)));
      }
    }
    return b.toString();
  }

  /** A point as well-known binary. */
  static byte[] point(State c) {
    return ByteBuffer.allocate(21).order(ByteOrder.LITTLE_ENDIAN).put((byte) 1).putInt(1)
        .putDouble(c.r.nextInt(360) - 180).putDouble(c.r.nextInt(180) - 90).array();
  }

  /** Profiles of times that nanoseconds can hold. */
  static final String[] TIMES = {"dst", "pre1970", "near0", "near2015", "seq", "mix"};

  static final long CUTOVER = LocalDate.of(1582, 10, 1).toEpochDay();

  /** Seconds, rounded down, and nanoseconds. */
  static long[] timestamp(State c, String zone) {
    long n = c.values++;
    SplittableRandom r = c.r;
    boolean wide = false; // beyond what nanoseconds hold: whole microseconds
    long seconds = switch (c.profile) {
      case "dst" -> {
        ZoneRules rules = ZoneId.of(zone, ZoneId.SHORT_IDS).getRules();
        Instant from = Instant.ofEpochSecond(-1500000000L + (long) (r.nextDouble() * 3300000000L));
        ZoneOffsetTransition t = rules.nextTransition(from);
        t = t == null ? rules.previousTransition(from) : t;
        long at = t == null ? r.nextInt() : t.toEpochSecond();
        yield at + (r.nextInt(5) - 2) * 1800L + (r.nextInt(3) - 1);
      }
      case "cutover" -> {
        wide = true;
        yield (CUTOVER + r.nextInt(30)) * 86400 + r.nextInt(86400);
      }
      case "ancient" -> {
        wide = true;
        yield LocalDate.of(1, 1, 3).toEpochDay() * 86400 + (long) (r.nextDouble() * 6.2e10);
      }
      case "far" -> {
        wide = true;
        yield (long) (r.nextDouble() * 2.5e11);
      }
      case "pre1970" -> -(long) (r.nextDouble() * 2.2e9);
      case "near0" -> r.nextInt(6) - 3;
      case "near2015" -> 1420070400L + r.nextInt(7) - 3;
      case "seq" -> 1700000000L + n * 60;
      default -> (long) (r.nextDouble() * 4e9);
    };
    long nanos = switch (r.nextInt(8)) {
      case 0, 1 -> 0;
      case 2 -> r.nextInt(1000) * 1_000_000;
      case 3 -> r.nextInt(1_000_000) * 1000;
      case 4 -> 999_999_999;
      case 5 -> r.nextInt(10) * 100_000_000;
      case 6 -> r.nextInt(1_000_000);
      default -> r.nextInt(1_000_000_000);
    };
    if (c.profile.equals("seq")) {
      nanos = 0;
    } else if (wide) {
      nanos -= nanos % 1000;
    }
    return new long[] {seconds, nanos};
  }

  static long date(State c) {
    long n = c.values++;
    return switch (c.profile) {
      case "cutover" -> CUTOVER + c.r.nextInt(30);
      case "ancient" -> -719160 + c.r.nextInt(700000);
      case "far" -> c.r.nextInt(2900000);
      case "seq" -> n;
      case "days" -> 19000 + n / 500;
      default -> c.r.nextInt(40000) - 20000;
    };
  }

  static final String[] DECIMALS = {"const", "most", "small", "price", "mix"};

  static BigInteger unscaled(State c, int precision) {
    long n = c.values++;
    BigInteger most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    BigInteger v = switch (c.profile) {
      case "const" -> BigInteger.valueOf(7);
      case "most" -> (n & 1) == 0 ? most : most.negate();
      case "small" -> BigInteger.valueOf(c.r.nextInt(200) - 100);
      case "price" -> BigInteger.valueOf(100 + c.r.nextInt(9000000));
      default -> {
        byte[] b = new byte[17];
        for (int i = 0; i < b.length; i++) {
          b[i] = (byte) c.r.nextInt();
        }
        BigInteger x = new BigInteger(1, b).mod(BigInteger.TEN.pow(1 + c.r.nextInt(precision)));
        x = c.r.nextInt(2) == 0 ? x.negate() : x;
        yield c.r.nextInt(12) == 0 ? BigInteger.ZERO : x;
      }
    };
    while (v.abs().compareTo(most) > 0) {
      v = v.divide(BigInteger.TEN);
    }
    return v;
  }

  static int length(State c) {
    return switch (c.profile) {
      case "empty" -> 0;
      case "const" -> 3;
      case "lengths" -> c.r.nextInt(40) == 0 ? 60 + c.r.nextInt(300) : c.r.nextInt(3);
      default -> c.r.nextInt(4) == 0 ? 0 : c.r.nextInt(5);
    };
  }

  static int tag(State c, int variants) {
    return switch (c.profile) {
      case "const" -> 0;
      case "runs" -> (int) (c.values++ / 50 % variants);
      default -> c.r.nextInt(variants);
    };
  }
}
