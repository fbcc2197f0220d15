package orc

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/pb"
)

// message prints the fields of the message that c holds, and returns where it stopped: at the end, or where the bytes are
// no message.
func (d *dumper) message(c *unpacked, s *pb.Shape) int {
	w := annotate.Messages{
		Writer:    d.Writer,
		Say:       func(from, to int, format string, args ...any) { d.say(c, from, to, format, args...) },
		InFile:    c.inFile,
		Bytes:     messageBytes,
		Name:      d.elementName,
		Positions: d.positions,
		Braces:    true,
	}
	return w.Fields(c.raw, 0, len(c.raw), s)
}

func messageBytes(b []byte, form pb.Form) string {
	if form == pb.FormText {
		return brief(string(b))
	}
	return fmt.Sprintf("%d bytes", len(b))
}

// elementName names element i of a repeated field.
func (d *dumper) elementName(f *pb.Field, i int) string {
	name := fmt.Sprintf("%s %d", f.Name, i)
	if f.List == pb.ListColumns && i < len(d.f.footer.Types) {
		if path := d.f.footer.Types[i].Path(); path != "" {
			name += ", " + brief(path)
		}
	}
	return name
}

// brief quotes text and cuts it to a line; bytes that are not text are shown as such.
func brief(s string) string {
	const most = 100
	cut := s
	if len(s) > most {
		cut = s[:most]
	}
	var q string
	if strings.ToValidUTF8(cut, "") != cut && strings.ToValidUTF8(s, "") != s {
		q = "x" + hex.EncodeToString([]byte(cut))
	} else {
		q = strconv.Quote(cut)
	}
	if len(s) > most {
		return fmt.Sprintf("%s… (%d bytes)", q, len(s))
	}
	return q
}
