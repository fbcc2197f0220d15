package inspect

import (
	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// message prints the fields of a message that lies in x from..to.
func (d *dumper) message(x body, from, to int, s *pb.Shape) {
	w := annotate.Messages{
		Writer: d.Writer,
		Say:    func(from, to int, format string, args ...any) { d.say(x, from, to, format, args...) },
		Bytes:  func(b []byte, form pb.Form) string { return bytesText(b, form == pb.FormText) },
		Pair:   d.pair,
	}
	d.rest(x, w.Fields(x.raw, from, to, s), to, "the rest")
}

// pair says how to show a value of metadata, which follows its key.
func (d *dumper) pair(key []byte, f *pb.Field, value []byte) (parts *pb.Shape, text string) {
	if f.Form == pb.FormBytes {
		switch string(key) {
		case cfilewire.MetaDeltaStats:
			return cfilewire.ShapeDeltaStats, ""
		case cfilewire.MetaMinKey, cfilewire.MetaMaxKey:
			return nil, d.f.keyText(d.scale, value)
		}
	}
	return nil, ""
}
