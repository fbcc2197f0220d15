package arrowio.judge;

import java.io.IOException;

/** Takes canonical text line by line, so that it can be written, compared or dropped without being held. */
@FunctionalInterface
interface LineSink {
  void line(CharSequence s) throws IOException;
}
