package kudu

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// rowsetInfo is what the blocks of a rowset say of it.
type rowsetInfo struct {
	rows         int64 // stored; -1 = unknown
	bytes, index int64
	min, max     []byte // keys; nil = unknown
	redo, undo   deltaInfo
	bloom        bool
}

// deltaInfo is the statistics of delta files together.
type deltaInfo struct {
	files              int64
	updates            int64 // cells
	deletes, reinserts int64
	from, to           uint64
}

func (d *deltaInfo) add(s cfilewire.DeltaStats) {
	if d.files == 0 {
		d.from, d.to = s.MinTime, s.MaxTime
	}
	d.files++
	d.from, d.to = min(d.from, s.MinTime), max(d.to, s.MaxTime)
	d.deletes += s.Deletes
	d.reinserts += s.Reinserts
	for _, u := range s.Updates {
		d.updates += u.Count
	}
}

func (d *deltaInfo) text(what string) string {
	var parts []string
	for _, x := range []struct {
		n    int64
		what string
	}{{d.updates, "cell updated"}, {d.deletes, "delete"}, {d.reinserts, "reinsert"}} {
		if x.n == 1 {
			parts = append(parts, "1 "+x.what)
		} else if x.n > 1 {
			parts = append(parts, strings.Replace(count(x.n, x.what), "cell updateds", "cells updated", 1))
		}
	}
	when := cfilewire.TimeText(d.from)
	if d.to != d.from {
		when += " to " + cfilewire.TimeText(d.to)
	}
	return fmt.Sprintf("%s (%s; %s)", count(d.files, what+" file"), strings.Join(parts, ", "), when)
}

func (g *rowsetInfo) add(role kuduwire.BlockRole, n int64) {
	g.bytes += n
	switch role {
	case kuduwire.BlockOfBloom:
		g.bloom = true
		g.index += n
	case kuduwire.BlockOfAdHoc:
		g.index += n
	}
}

// keys takes the least and the greatest key, which the file of the keys has.
func (g *rowsetInfo) keys(r *cfile.Reader) {
	f := r.Footer()
	g.min, _ = f.Lookup(cfilewire.MetaMinKey)
	g.max, _ = f.Lookup(cfilewire.MetaMaxKey)
}

func (b *infoBuilder) rowsetText(t *tablet, rs *kuduwire.RowSet, g *rowsetInfo) string {
	parts := []string{(&rowset{tablet: t, meta: rs}).place()}
	if g.rows >= 0 {
		parts = append(parts, fmt.Sprintf("%s stored, %d live", count(g.rows, "row"), b.places.rowsets[rs].Len()))
	}
	least, greatest := g.min, g.max
	if len(rs.MinKey) > 0 || len(rs.MaxKey) > 0 {
		least, greatest = rs.MinKey, rs.MaxKey
	}
	if least != nil && greatest != nil {
		parts = append(parts, fmt.Sprintf("keys %s to %s", keyText(t.schema, least), keyText(t.schema, greatest)))
	}
	if g.redo.files > 0 {
		parts = append(parts, g.redo.text("redo"))
	}
	if g.undo.files > 0 {
		parts = append(parts, g.undo.text("undo"))
	}
	if g.bloom {
		parts = append(parts, "bloom filters")
	}
	for _, o := range t.rowsets {
		if o.meta == rs && len(o.log) > 0 {
			parts = append(parts, count(int64(len(o.log)), "change")+" in the log")
		}
	}
	return strings.Join(parts, ", ")
}

// keyText renders an encoded primary key.
func keyText(s *kuduwire.Schema, key []byte) string {
	var parts []string
	rest := key
	for i := range s.Keys() {
		c := &s.Columns[i]
		cell, more, err := cfilewire.DecodeKeyPart(rest, c.Type, i == s.Keys()-1)
		if err != nil {
			return "x" + hex.EncodeToString(key[:min(len(key), 32)])
		}
		parts = append(parts, cfile.CellText(c.Type, c.Scale, cell))
		rest = more
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// describedAs is the field that a block of a column of Info is described as.
func (b *infoBuilder) describedAs(at int) arrow.Field {
	if at < b.schema.NumFields() {
		return b.schema.Field(at)
	}
	return arrow.Field{Name: b.Columns[at].Path}
}

// facts lists what is said of the table as a whole, and of each tablet.
func (b *infoBuilder) facts() {
	add := func(name, format string, args ...any) {
		b.Facts = append(b.Facts, arrowio.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if b.dirs == nil {
		b.Facts = append(b.Facts, b.setFacts()...)
		return
	}
	add("table", "%s (%s)", b.table, b.File.tablets[0].super.TableID)
	if b.opt.Snapshot > 0 {
		add("snapshot", "%s", cfilewire.TimeText(b.opt.Snapshot))
	} else {
		add("snapshot", "the latest")
	}
	b.Facts = append(b.Facts, serverFacts(b.dirs)...)
	add("tablets", "%d", len(b.File.tablets))
	for i, t := range b.File.tablets {
		if i == infoTablets {
			add("tablet", "and %d more", len(b.File.tablets)-i)
			break
		}
		add("tablet", "%s", b.tabletText(t))
	}
}

func (b *infoBuilder) tabletText(t *tablet) string {
	stored, live := int64(0), int64(0)
	for _, rs := range t.rowsets {
		stored += rs.rows
		live += b.places.rowsets[rs.meta].Len()
	}
	parts := []string{t.id, t.state(), fmt.Sprintf("schema version %d", t.version)}
	if p := partitionText(t.super); p != "" {
		parts = append(parts, p)
	}
	parts = append(parts, fmt.Sprintf("%s, %s on disk, %d of them live, and %d in the log only",
		count(int64(len(t.super.RowSets)), "rowset"), count(stored, "row"), live, t.mem.len()))
	if b.opt.SkipLog {
		return strings.Join(append(parts, "log not read"), ", ")
	}
	if l := t.log; l != nil {
		text := fmt.Sprintf("log of %s with %s, %s applied", count(int64(l.segments), "segment"), count(l.ops, "operation"), count(l.applied, "change"))
		if l.last.Index > 0 {
			text += fmt.Sprintf(", the last %s at %s", l.last, cfilewire.TimeText(l.lastTime))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// partitionText says which rows a tablet is for: hash buckets, and a range of encoded keys.
// Where the columns of the range are not known its bounds are encoded keys.
func partitionText(s *kuduwire.SuperBlock) string {
	if len(s.Partitioning) > 0 && s.Schema != nil {
		if p, err := kuduwire.ParsePartitioning(s.Partitioning, s.Schema, arrowio.Limits{}.WithDefaults()); err == nil {
			x := s.Partition()
			return partitionName(&x, p, s.Schema)
		}
	}
	var parts []string
	if n := len(s.HashBuckets); n > 0 {
		text := "hash bucket"
		for i, h := range s.HashBuckets[:min(n, infoBuckets)] {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %d", h)
		}
		parts = append(parts, text)
	}
	prefix := 4 * len(s.HashBuckets)
	start, end := rangePart(s.PartitionStart, s.HashBuckets, prefix), rangePart(s.PartitionEnd, s.HashBuckets, prefix)
	switch {
	case start != "" && end != "":
		parts = append(parts, fmt.Sprintf("range from x%s to x%s", start, end))
	case start != "":
		parts = append(parts, fmt.Sprintf("range from x%s", start))
	case end != "":
		parts = append(parts, fmt.Sprintf("range to x%s", end))
	}
	return strings.Join(parts, ", ")
}

// rangePart returns, in hex, what follows the hash buckets in a bound of a partition. A bound that is of the next
// bucket has no range of its own.
func rangePart(bound []byte, buckets []int32, prefix int) string {
	if len(bound) <= prefix {
		return ""
	}
	for i, h := range buckets {
		if binary.BigEndian.Uint32(bound[4*i:]) != uint32(h) {
			return ""
		}
	}
	bound = bound[prefix:]
	if n := 32; len(bound) > n {
		return hex.EncodeToString(bound[:n]) + "…"
	}
	return hex.EncodeToString(bound)
}
