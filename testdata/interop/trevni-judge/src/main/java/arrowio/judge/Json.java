package arrowio.judge;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The few pieces of JSON that canonical text needs: no spaces, the fewest escapes, everything else as UTF-8. */
final class Json {
  private static final HexFormat HEX = HexFormat.of();

  private Json() {}

  /** Appends a quoted string; only the quote, the backslash and characters below U+0020 are escaped. */
  static void string(StringBuilder to, CharSequence s) {
    to.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c < ' ') {
        to.append("\\u").append(HEX.toHexDigits((short) c));
      } else {
        if (c == '"' || c == '\\') {
          to.append('\\');
        }
        to.append(c);
      }
    }
    to.append('"');
  }

  /** Appends the remaining bytes as a quoted string of hex digits. */
  static void bytes(StringBuilder to, ByteBuffer b) {
    byte[] copy = new byte[b.remaining()];
    b.duplicate().get(copy);
    to.append('"').append(HEX.formatHex(copy)).append('"');
  }

  /** Appends the IEEE bits, most significant digit first, every NaN payload kept. */
  static void floatBits(StringBuilder to, float v) {
    to.append('"').append(HEX.toHexDigits(Float.floatToRawIntBits(v))).append('"');
  }

  /** Appends the IEEE bits, most significant digit first, every NaN payload kept. */
  static void doubleBits(StringBuilder to, double v) {
    to.append('"').append(HEX.toHexDigits(Double.doubleToRawLongBits(v))).append('"');
  }

  /** Appends a metadata value: a string where it is UTF-8, else {"hex":"…"}. */
  static void metaValue(StringBuilder to, byte[] v) {
    try {
      string(to, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(v)));
    } catch (CharacterCodingException e) {
      to.append("{\"hex\":");
      bytes(to, ByteBuffer.wrap(v));
      to.append('}');
    }
  }
}
