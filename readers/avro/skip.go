package avro

import (
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// skipKind says how values are passed over.
type skipKind uint8

const (
	skipFixed  skipKind = iota // size bytes
	skipVarint                 // a number
	skipBytes                  // a length and so many bytes
	skipArray                  // blocks of items
	skipUnion                  // a branch's number, and its value
)

// skipper passes over one value of a type.
type skipper struct {
	kind  skipKind
	size  int
	items []skipper   // of an array or a map: of each item
	empty bool        // items take no bytes
	of    [][]skipper // branches
}

// skippers returns what passes over a value of s; fixed sizes that follow each other are one.
func skippers(out []skipper, s *trevniwire.Avro) []skipper {
	switch s.Kind {
	case trevniwire.AvroRecord:
		for _, f := range s.Fields {
			out = skippers(out, f.Type)
		}
		return out
	case trevniwire.AvroArray:
		return append(out, skipper{kind: skipArray, items: skippers(nil, s.Items), empty: leastBytes(s.Items) == 0})
	case trevniwire.AvroMap:
		return append(out, skipper{kind: skipArray, items: skippers([]skipper{{kind: skipBytes}}, s.Items)})
	case trevniwire.AvroUnion:
		u := skipper{kind: skipUnion}
		for _, b := range s.Branches {
			u.of = append(u.of, skippers(nil, b))
		}
		return append(out, u)
	case trevniwire.AvroEnum:
		return append(out, skipper{kind: skipVarint})
	}
	size := 0
	switch {
	case s.Kind == trevniwire.AvroFixed:
		size = s.Size
	case s.Type == trevniwire.Null:
	case s.Type == trevniwire.Boolean:
		size = 1
	case s.Type == trevniwire.Float:
		size = 4
	case s.Type == trevniwire.Double:
		size = 8
	case s.Type == trevniwire.Int || s.Type == trevniwire.Long:
		return append(out, skipper{kind: skipVarint})
	default:
		return append(out, skipper{kind: skipBytes})
	}
	if size == 0 {
		return out
	}
	if k := len(out) - 1; k >= 0 && out[k].kind == skipFixed {
		out[k].size += size
		return out
	}
	return append(out, skipper{kind: skipFixed, size: size})
}

// leastBytes returns how many bytes a value takes at least. If that is 0, every value takes none.
func leastBytes(s *trevniwire.Avro) int64 {
	switch s.Kind {
	case trevniwire.AvroRecord:
		var n int64
		for _, f := range s.Fields {
			n += leastBytes(f.Type)
		}
		return n
	case trevniwire.AvroFixed:
		return int64(s.Size)
	case trevniwire.AvroUnion:
		if len(s.Branches) == 0 {
			return 1
		}
		least := leastBytes(s.Branches[0])
		for _, b := range s.Branches[1:] {
			least = min(least, leastBytes(b))
		}
		return 1 + least
	case trevniwire.AvroPrimitive:
		switch s.Type {
		case trevniwire.Null:
			return 0
		case trevniwire.Float:
			return 4
		case trevniwire.Double:
			return 8
		}
	}
	return 1
}

// skip passes over the value at p and returns where the next one begins; negative = d.err says what is wrong.
func (d *decoder) skip(list []skipper, p int) int {
	for i := range list {
		s := &list[i]
		switch s.kind {
		case skipFixed:
			if s.size > len(d.raw)-p {
				return d.short(p)
			}
			p += s.size
		case skipVarint:
			for {
				if p >= len(d.raw) {
					return d.short(p)
				}
				p++
				if d.raw[p-1] < 0x80 {
					break
				}
			}
		case skipBytes:
			n, q := d.length(p)
			if q < 0 {
				return q
			}
			p = q + n
		case skipArray:
			if p = d.skipArray(s, p); p < 0 {
				return p
			}
		case skipUnion:
			b, q := d.branch(len(s.of), p)
			if q < 0 {
				return q
			}
			if p = d.skip(s.of[b], q); p < 0 {
				return p
			}
		}
	}
	return p
}

// skipArray passes over the blocks of an array or a map; those that say their size at once.
func (d *decoder) skipArray(s *skipper, p int) int {
	for {
		n, size, q := d.items(p)
		if q < 0 || n == 0 {
			return q
		}
		p = q
		if size >= 0 {
			p += size
			continue
		}
		if s.empty {
			continue
		}
		for range n {
			if p = d.skip(s.items, p); p < 0 {
				return p
			}
		}
	}
}
