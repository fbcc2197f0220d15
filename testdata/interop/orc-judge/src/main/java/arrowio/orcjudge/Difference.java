package arrowio.orcjudge;

import java.io.IOException;

/** What the reader gave is not what was expected. */
final class Difference extends IOException {
  private static final long serialVersionUID = 1L;

  Difference(String message) {
    super(message);
  }
}
