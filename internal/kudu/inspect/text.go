package inspect

import (
	"fmt"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/pb"
)

// dumper prints a file.
type dumper struct {
	*annotate.Writer
	messages annotate.Messages
}

func (d *dumper) sum(off int64, said, is uint32) {
	if said != is {
		d.Range(off, 4, "! crc32c %08x, it is %08x", said, is)
		return
	}
	d.Range(off, 4, "crc32c %08x, right", said)
}

// shownBytes is how much of a value is printed.
const shownBytes = 256

// bytesText renders bytes: text in quotes, others in hex, with the text if they are text throughout.
func bytesText(b []byte, form pb.Form) string {
	more := ""
	if len(b) > shownBytes {
		more = fmt.Sprintf(" … (%d bytes)", len(b))
		b = b[:shownBytes]
	}
	switch {
	case len(b) == 0 && form == pb.FormBytes:
		return "no bytes"
	case form == pb.FormText && utf8.Valid(b):
		return fmt.Sprintf("%q%s", b, more)
	case isText(b):
		return fmt.Sprintf("x%x%s %q", b, more, b)
	}
	return fmt.Sprintf("x%x%s", b, more)
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(b) > 0
}
