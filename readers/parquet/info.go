package parquet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Info implements arrowio.File. A block is a column chunk, a group a row group: pages are told by reading only.
func (f *parquetFile) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{
		Format: "parquet", Version: fmt.Sprint(f.footer.Version), Writer: f.footer.CreatedBy, Rows: f.rows,
		Bytes: f.src.Size(), Schema: f.schema, Notes: slices.Clone(f.notes),
	}
	for _, kv := range f.footer.Metadata {
		if kv.Key == arrowSchemaKey {
			continue
		}
		if info.Metadata == nil {
			info.Metadata = map[string][]byte{}
		}
		info.Metadata[kv.Key] = []byte(kv.Value)
	}
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
		if o.Blocks || o.Groups {
			info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: s.Rows, Off: -1, Bytes: s.Bytes})
		}
	}
	for i := range f.leaves {
		c := f.columnInfo(i, info.Groups, o.Blocks)
		if o.Groups {
			for g := range f.footer.Groups {
				c.GroupStats = append(c.GroupStats, arrowio.ColumnStats{Values: -1, Nulls: -1})
				if s := f.columnStats(i, g, g+1); s != nil {
					c.GroupStats[g] = *s
				}
			}
		}
		if o.Checksums && f.leaves[i].refused == "" {
			if err := f.checksums(ctx, i, &c); err != nil {
				return nil, locate(err)
			}
		}
		info.Columns = append(info.Columns, c)
	}
	if o.Filter != nil {
		var err error
		if info.Plan, err = f.plan(ctx, o.Filter); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// storedName returns a stored column's type in the words of the specification.
func storedName(e *decode.Element) string {
	s := e.Type.String()
	if e.Type == decode.Fixed {
		s += fmt.Sprintf("(%d)", e.Width)
	}
	switch e.Kind {
	case decode.NoKind:
		return s
	case decode.Decimal:
		return fmt.Sprintf("%s DECIMAL(%d, %d)", s, e.Precision, e.Scale)
	case decode.Integer:
		return fmt.Sprintf("%s INT(%d, isSigned=%t)", s, e.Bits, e.Signed)
	case decode.Geometry, decode.Geography:
		return s + " " + geoOf(e).String()
	case decode.Time, decode.Timestamp:
		unit := [...]string{"?", "MILLIS", "MICROS", "NANOS"}[min(e.Unit, decode.Nanos)]
		return fmt.Sprintf("%s %s(isAdjustedToUTC=%t, unit=%s)", s, e.Kind, e.UTC, unit)
	}
	return s + " " + e.Kind.String()
}

// columnInfo describes a stored column over all row groups. Where groups are listed it notes where they begin, and, if blocks is
// set, lists the column's chunks in them.
func (f *parquetFile) columnInfo(i int, groups []arrowio.GroupInfo, blocks bool) arrowio.ColumnInfo {
	n := f.leaves[i]
	c := arrowio.ColumnInfo{Path: f.paths[i], Stored: storedName(n.elem), Type: n.field.Type.String()}
	var indexes []string
	note := func(name string) {
		if !slices.Contains(indexes, name) {
			indexes = append(indexes, name)
		}
	}
	for g := range f.footer.Groups {
		ch := f.chunk(chunkID{g, i})
		c.Blocks++
		c.Bytes += ch.Stored
		c.RawBytes += ch.Raw
		if codec := ch.Codec.String(); c.Codec == "" {
			c.Codec = codec
		} else if c.Codec != codec {
			c.Codec = "mixed"
		}
		var encodings []string
		for e := range decode.Encoding(32) {
			if !ch.Has(e) {
				continue
			}
			encodings = append(encodings, e.String())
			if !slices.Contains(c.Encodings, e.String()) {
				c.Encodings = append(c.Encodings, e.String())
			}
		}
		if ch.ColumnIndex.Len > 0 && ch.OffsetIndex.Len > 0 {
			note("page index")
		} else if ch.OffsetIndex.Len > 0 {
			note("offset index")
		}
		if ch.Bloom > 0 {
			note("bloom filters")
		}
		if groups == nil {
			continue
		}
		off := ch.Start()
		if at := &groups[g]; at.Off < 0 || off < at.Off {
			at.Off = off
		}
		if !blocks {
			continue
		}
		c.BlockList = append(c.BlockList, arrowio.BlockInfo{
			Group: g, Encoding: strings.Join(encodings, ", "), Rows: groups[g].Rows.Len(), Off: off, Bytes: ch.Stored, RawBytes: ch.Raw,
		})
	}
	c.Index = strings.Join(indexes, ", ")
	c.Stats = f.columnStats(i, 0, len(f.footer.Groups))
	return c
}

// columnStats returns what the statistics of the column chunks of a column in row groups from to to-1 say together.
func (f *parquetFile) columnStats(i, from, to int) *arrowio.ColumnStats {
	out := &arrowio.ColumnStats{}
	n := f.leaves[i]
	entries := int64(0) // nulls, and in lists entries of empty and null ones
	var lo, hi scalar.Scalar
	known := true
	for g := from; g < to; g++ {
		ch := f.chunk(chunkID{g, i})
		out.Values += ch.Values
		if ch.Stats.Nulls < 0 || entries < 0 || !f.countsNulls(n) && ch.Stats.Nulls < ch.Values {
			entries = -1
		} else {
			entries += ch.Stats.Nulls
		}
		if ch.Stats.Nulls == ch.Values {
			continue
		}
		a, b := n.bounds(&ch.Stats, f.ordered(n))
		if known = known && a != nil && b != nil; !known {
			continue
		}
		if lo == nil {
			lo, hi = a, b
			continue
		}
		below, ok := less(a, lo)
		above, ok2 := less(hi, b)
		known = ok && ok2
		if below {
			lo = a
		}
		if above {
			hi = b
		}
	}
	switch {
	case entries < 0:
		out.Values, out.Nulls = -1, -1
	case n.maxRep == 0 || entries == 0:
		out.Values, out.Nulls = out.Values-entries, entries
	default: // which of them are elements that are null, and which lists without elements, no statistics tell
		out.Values, out.Nulls = out.Values-entries, -1
	}
	if known && lo != nil {
		out.Min, out.Max = boundText(lo), boundText(hi)
	}
	if entries < 0 && out.Min == "" {
		return nil
	}
	return out
}
