package arrowio.orcjudge;

import java.io.IOException;

/** Takes the lines of a text, without their ends. */
@FunctionalInterface
interface LineSink {
  void line(CharSequence s) throws IOException;
}
