package inspect

import (
	"context"
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Description is what there is to tell of one file.
type Description struct {
	Column arrowio.ColumnInfo // Path and Type are those of the field
	Facts  []arrowio.Fact
	Notes  []string
}

// Describe tells what the file holds, of whatever kind it is. field is what a column is read as; its type may be nil.
// The Filter of o is not used. An error is one of reading: what is wrong with the file is in the notes.
func (f *File) Describe(ctx context.Context, field arrow.Field, o arrowio.InfoOptions) (*Description, error) {
	d := &describer{Description: &Description{}, f: f, ctx: ctx, o: o, scale: scaleOf(field.Type)}
	if err := d.run(field); err != nil {
		return nil, err
	}
	return d.Description, nil
}

// describer is one run of Describe.
type describer struct {
	*Description
	f      *File
	ctx    context.Context
	o      arrowio.InfoOptions
	scale  int32
	faults int
}

// shownFaults is how many faults are named in the notes.
const shownFaults = 5

// fault notes what is wrong with the file. It returns what says nothing about the file.
func (d *describer) fault(err error) error {
	if err == nil || !IsFault(err) {
		return err
	}
	if d.faults++; d.faults <= shownFaults {
		d.note("! %v", err)
	}
	return nil
}

func (d *describer) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

func (d *describer) fact(name, format string, args ...any) {
	d.Facts = append(d.Facts, arrowio.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
}

func (d *describer) run(field arrow.Field) error {
	f := d.f.Footer
	d.Column = arrowio.ColumnInfo{
		Path: field.Name, Stored: f.Type.String(), Encodings: []string{f.Encoding.String()}, Codec: f.Compression.String(),
		Stats: &arrowio.ColumnStats{Values: -1, Nulls: -1},
	}
	c := &d.Column
	if field.Type != nil {
		c.Type = field.Type.String()
	}
	if f.Array {
		c.Stored = "array of " + c.Stored
	}
	if f.Checksums {
		c.Checksum = "crc32c"
	}
	if !f.Nullable && !f.Array {
		c.Stats.Values, c.Stats.Nulls = f.Values, 0
	}
	l, err := d.f.Survey(d.ctx, d.fault)
	if err != nil {
		return err
	}
	d.fact("kind", "%s", d.f.Kind)
	d.fact("nullable", "%t", f.Nullable)
	d.index(f.Pos, &l.Pos)
	d.index(f.Val, &l.Val)
	if f.Val != nil && d.f.Kind != cfilewire.BloomFile && d.f.Kind != cfilewire.DeltaFile {
		c.Index = OpValue
	}
	if err := d.dictionary(); err != nil {
		return err
	}
	d.keys(l)
	d.deltas()
	if err := d.bloom(l); err != nil {
		return err
	}
	if err := d.blocks(l); err != nil {
		return err
	}
	d.oddities(l)
	if d.faults > shownFaults {
		d.note("! %d faults more: verify names them", d.faults-shownFaults)
	}
	return nil
}

// indexFacts name the indexes.
var indexFacts = [...]string{PositionBlock: "row index", ValueBlock: "key index"}

func (d *describer) index(root *cfilewire.BlockPointer, t *Tree) {
	if root != nil {
		d.fact(indexFacts[t.Kind], "%s, %s, %d bytes, %s", count(t.levels, "level"), count(t.blocks, "block"), t.bytes, plural(len(t.Leaves), "entry", "entries"))
	}
}

func count(n int, what string) string { return plural(n, what, what+"s") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (d *describer) dictionary() error {
	p := d.f.Footer.Dict
	if p == nil {
		return nil
	}
	n, err := d.f.dictionaryLen(d.ctx)
	if err != nil {
		d.fact("dict", "%d bytes at %d", p.Size, p.Off)
		return d.fault(errs.Locate(cfilewire.Kinded(err), errs.At{Format: format, Op: "dictionary", Off: errs.N(p.Off)}))
	}
	d.fact("dict", "%s, %d bytes at %d", plural(n, "entry", "entries"), p.Size, p.Off)
	return nil
}

// keys tells the least and the greatest key.
func (d *describer) keys(l *Layout) {
	least, ok := d.f.Footer.Lookup(cfilewire.MetaMinKey)
	if ok {
		d.fact("min key", "%s", d.f.keyText(d.scale, least))
	}
	greatest, both := d.f.Footer.Lookup(cfilewire.MetaMaxKey)
	if both {
		d.fact("max key", "%s", d.f.keyText(d.scale, greatest))
	}
	if ok && both {
		if string(least) > string(greatest) {
			d.note("the least key is above the greatest")
		}
		d.Column.Stats.Min, d.Column.Stats.Max = d.f.keyText(d.scale, least), d.f.keyText(d.scale, greatest)
	}
	if d.f.Kind == cfilewire.DeltaFile {
		return // by row upwards, but by time downwards in a file of UNDOs
	}
	for i := 1; i < len(l.Val.Leaves); i++ {
		if string(l.Val.Leaves[i].Key) <= string(l.Val.Leaves[i-1].Key) {
			d.note("the keys of the value index do not ascend: filters do not use it")
			d.Column.Index = ""
			if d.Column.Stats.Min != "" {
				d.Column.Stats.Doubt = "keys do not ascend"
			}
			return
		}
	}
}

// shownColumns is how many columns of a delta file's statistics are shown.
const shownColumns = 16

func (d *describer) deltas() {
	if d.f.Kind != cfilewire.DeltaFile {
		return
	}
	s := d.f.Stats
	d.fact("deletes", "%d", s.Deletes)
	d.fact("reinserts", "%d", s.Reinserts)
	for i, u := range s.Updates {
		if i == shownColumns {
			d.fact("updates", "of %d more columns", len(s.Updates)-i)
			break
		}
		d.fact("updates", "%d of column id %d", u.Count, u.ID)
	}
	if d.f.Footer.Values > 0 {
		d.fact("from", "%s", cfilewire.TimeText(s.MinTime))
		d.fact("to", "%s", cfilewire.TimeText(s.MaxTime))
	}
}

// bloom tells the size of the filters by the first.
func (d *describer) bloom(l *Layout) error {
	if d.f.Kind != cfilewire.BloomFile {
		return nil
	}
	d.Column.Encodings = []string{"bloom"}
	d.fact("filters", "%d", len(l.Val.Leaves))
	if len(l.Val.Leaves) == 0 {
		return nil
	}
	p := l.Val.Leaves[0].Ptr
	b, err := d.f.readBloom(d.ctx, p)
	if err != nil {
		return d.fault(errs.Locate(cfilewire.Kinded(err), errs.At{Format: format, Op: "bloom filter", Off: errs.N(p.Off)}))
	}
	d.fact("filter", "%d hash functions, %d bits", b.Hashes, 8*len(b.Bits))
	return nil
}

// oddities notes what is legal, but not as Kudu writes it today.
func (d *describer) oddities(l *Layout) {
	f := d.f.Footer
	if !f.Checksums {
		d.note("the file has no checksums")
	}
	if f.Version == 1 {
		d.note("version 1 of the format: written by Kudu 1.2 or before")
	}
	if f.Compatible != 0 {
		d.note("features that a reader need not know: bits %#x", f.Compatible)
	}
	if len(f.HeaderMeta) > 0 {
		d.note("metadata in the header, where Kudu writes none")
	}
	if f.Encoding == cfilewire.EncodingGroupVarint {
		d.note("encoding group_varint was removed from Kudu")
	}
	if f.Dict != nil && f.Encoding != cfilewire.EncodingDict {
		d.note("a dictionary that encoding %v has no use for", f.Encoding)
	}
	if f.Val != nil && d.f.Kind == cfilewire.ColumnFile && (f.Nullable || f.Array || !f.Type.IsKey()) {
		d.note("a value index of a column that cannot be a key: filters do not use it")
		d.Column.Index = ""
	}
	if free := l.uncovered(d.f); free > 0 && l.Pos.Complete(f.Pos) && l.Val.Complete(f.Val) {
		d.note("%d bytes between header and footer belong to no block", free)
	}
}
