package partwriter

import "io"

// Text collects lines of text and writes many at once. An Encoder of text embeds it.
type Text struct {
	W   io.Writer
	Buf []byte // what is not written yet
}

// flushBytes is how much text is collected before it is written.
const flushBytes = 256 << 10

// EndLine writes what was collected if that is enough.
func (t *Text) EndLine() error {
	if len(t.Buf) < flushBytes {
		return nil
	}
	return t.Close()
}

// Close implements Encoder: it writes what was collected.
func (t *Text) Close() error {
	_, err := t.W.Write(t.Buf)
	t.Buf = t.Buf[:0]
	return err
}

// Abort implements Encoder.
func (t *Text) Abort() {}
