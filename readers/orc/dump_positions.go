package orc

import (
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// number is one of the numbers that an entry of the row index has for a row group.
type number struct {
	stream orcwire.StreamKind
	what   string
}

// numbers returns what the positions of a column are in this stripe, as it is read.
func (s *stripe) numbers(t *orcwire.Type) []number {
	_, present := s.find(t.ID, orcwire.Present)
	return s.numbersOf(t, present, s.encoding(t.ID).Kind)
}

// numbersOf returns what the positions of a column are (specification, "Row Group Index").
func (s *stripe) numbersOf(t *orcwire.Type, present bool, e orcwire.EncodingKind) []number {
	var out []number
	add := func(k orcwire.StreamKind, runs ...string) {
		if s.file.packing.Chunked {
			out = append(out, number{k, "chunk at"}, number{k, "byte"})
		} else {
			out = append(out, number{k, "byte"})
		}
		for _, r := range runs {
			out = append(out, number{k, r})
		}
	}
	if present {
		add(orcwire.Present, "value", "bit")
	}
	switch t.Kind {
	case orcwire.Boolean:
		add(orcwire.Data, "value", "bit")
	case orcwire.Float, orcwire.Double:
		add(orcwire.Data)
	case orcwire.String, orcwire.Varchar, orcwire.Char, orcwire.Binary, orcwire.Geometry, orcwire.Geography:
		if e.IsDictionary() {
			add(orcwire.Data, "value")
		} else {
			add(orcwire.Data)
			add(orcwire.Length, "value")
		}
	case orcwire.Decimal:
		if s.file.wholeDecimals(t) {
			add(orcwire.Data, "value")
		} else {
			add(orcwire.Data)
			add(orcwire.Secondary, "value")
		}
	case orcwire.Timestamp, orcwire.TimestampInstant:
		add(orcwire.Data, "value")
		add(orcwire.Secondary, "value")
	case orcwire.List, orcwire.Map:
		add(orcwire.Length, "value")
	case orcwire.Struct:
	default:
		add(orcwire.Data, "value")
	}
	return out
}

// positions renders the positions of a row group.
func (d *dumper) positions(p []uint64) string {
	var b strings.Builder
	last := orcwire.UnknownStream
	for i, v := range p {
		switch {
		case i >= len(d.order) && v == 0 && !d.f.quirks.StripeStatsTrusted():
			b.WriteString("; 0 of no stream") // of a PRESENT that the oldest writers left out
			continue
		case i >= len(d.order):
			fmt.Fprintf(&b, "; ! %d", v)
			continue
		case d.order[i].stream != last:
			if i > 0 {
				b.WriteString("; ")
			}
			last = d.order[i].stream
			b.WriteString(last.String() + " ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", d.order[i].what, v)
	}
	if len(p) < len(d.order) {
		fmt.Fprintf(&b, " ! %d numbers are missing", len(d.order)-len(p))
	}
	if b.Len() == 0 {
		return "none"
	}
	return b.String()
}
