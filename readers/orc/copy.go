package orc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/splitcopy"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/sinkblocks"
)

var _ splitcopy.Copier = (*File)(nil)

// Parts implements splitcopy.Copier: the stripes of the file.
func (f *File) Parts(ctx context.Context) ([]splitcopy.Part, error) {
	if err := f.copyable(ctx); err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	out := make([]splitcopy.Part, len(f.footer.Stripes))
	for i := range out {
		s := &f.footer.Stripes[i]
		out[i] = splitcopy.Part{Rows: s.Rows, Bytes: s.End() - s.Offset}
	}
	return out, nil
}

// copyable reports why stripes of the file cannot be copied.
func (f *File) copyable(ctx context.Context) error {
	switch {
	case f.joined != nil:
		return f.joined
	case f.footer.Encryption != nil:
		return errs.Errorf(errs.ErrUnsupported, "stripes of encrypted files cannot be copied: their statistics are encrypted, too; use convert")
	case f.IsEvents():
		return errs.Errorf(errs.ErrUnsupported, "stripes of a Hive ACID table cannot be copied: rows are known by the file that they are in; use convert")
	case len(f.footer.Stripes) == 0 && f.footer.Rows > 0:
		return errs.Errorf(errs.ErrUnsupported, "rows without columns have no stripes that could be copied; use convert")
	}
	for i := range f.footer.Stripes {
		s, err := f.stripe(ctx, i)
		if err != nil {
			return err
		}
		s.release()
	}
	for id := range f.footer.Types {
		if !f.stripesAgree(ctx, id) {
			return errs.Errorf(errs.ErrCorrupt, "the statistics of stripes and of the file disagree on column %s: verify tells more; convert computes them anew", cmp.Or(f.path(f.footer.Types[id]), "0"))
		}
	}
	return nil
}

// Like implements splitcopy.Copier. Stripes keep what the footer says of all of them: types, compression, rows of a row group,
// version, writer, calendar. Chunks may be of different sizes: the postscript says how many bytes they have at most.
func (f *File) Like(other splitcopy.Copier) error {
	g, ok := other.(*File)
	if !ok {
		return &splitcopy.Difference{What: "format", First: Name, This: "another"}
	}
	if f.src.Size() == 0 || g.src.Size() == 0 { // without types and without rows
		return nil
	}
	if err := likeTypes(f, g); err != nil {
		return err
	}
	for _, d := range []splitcopy.Difference{
		{What: "codec", First: f.ps.Compression.String(), This: g.ps.Compression.String()},
		{What: "rows of a row group", First: fmt.Sprint(f.footer.RowIndexStride), This: fmt.Sprint(g.footer.RowIndexStride)},
		{What: "version of the format", First: f.version(), This: g.version()},
		{What: "writer", First: writerOf(f), This: writerOf(g)},
		{What: "calendar", First: calendarOf(f), This: calendarOf(g)},
	} {
		if d.First != d.This {
			return &d
		}
	}
	return nil
}

// writerOf names the writer as far as a reader depends on it: see orcwire.Quirks.
func writerOf(f *File) string {
	text := fmt.Sprintf("%s, version %d", orcwire.WriterName(&orcwire.Footer{Writer: f.footer.Writer, SoftwareVersion: "any release"}, f.ps), f.ps.WriterVersion)
	if f.quirks.BadBloom {
		text += ", with wrong bloom filters"
	}
	return text
}

func calendarOf(f *File) string {
	switch f.footer.Calendar {
	case orcwire.CalendarHybrid:
		return "Julian before 1582-10-15"
	case orcwire.CalendarProleptic:
		return "proleptic Gregorian"
	}
	return "none that the file names"
}

func likeTypes(f, g *File) error {
	a, b := f.footer.Types, g.footer.Types
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		same := x.Kind == y.Kind && x.Last == y.Last && slices.Equal(x.Names, y.Names) && x.MaxLength == y.MaxLength && x.Precision == y.Precision &&
			x.Scale == y.Scale && x.CRS == y.CRS && x.EdgeAlgorithm == y.EdgeAlgorithm && slices.Equal(x.Attributes, y.Attributes)
		if same {
			continue
		}
		d := &splitcopy.Difference{What: "type of " + cmp.Or(f.path(x), "the rows"), First: x.String(), This: y.String()}
		if d.First == d.This {
			d.First, d.This = attributesOf(x), attributesOf(y)
		}
		return d
	}
	return nil // the roots have the same number of types below them
}

func attributesOf(t *orcwire.Type) string { return fmt.Sprintf("attributes %v", t.Attributes) }

// NewCopy implements splitcopy.Copier.
func (f *File) NewCopy(out io.Writer, o splitcopy.Options) splitcopy.Copy {
	return &copying{out: out, o: o, metadata: map[string][]byte{}}
}

// copying is a file that is made of stripes of others.
type copying struct {
	out      io.Writer
	o        splitcopy.Options
	first    *File // that has types; nil = none has
	at       int64
	block    int64 // stripes lie within blocks of so many bytes; 0 = anywhere
	ps       orcwire.PostScript
	foot     orcwire.Footer
	stripes  []orcwire.StatsList
	known    bool                   // some stripe has statistics
	stats    []*orcwire.ColumnStats // of the file, by type id
	metadata map[string][]byte
	buf      []byte
}

// Add implements splitcopy.Copy.
func (c *copying) Add(ctx context.Context, from splitcopy.Copier, first, end int) error {
	f, ok := from.(*File)
	if !ok || first < 0 || end > len(f.footer.Stripes) {
		return errs.Errorf(errs.ErrInternal, "stripes %d to %d of a file that has not so many", first, end)
	}
	if err := c.describe(f); err != nil {
		return errs.Locate(err, errs.At{Format: Name})
	}
	for i := first; i < end; i++ {
		if err := c.stripe(ctx, f, i); err != nil {
			return errs.Locate(err, errs.At{Format: Name})
		}
	}
	return errs.Locate(c.count(ctx, f, first, end), errs.At{Format: Name})
}

func (c *copying) write(b []byte) error {
	n, err := c.out.Write(b)
	c.at += int64(n)
	return err
}

// room returns how many bytes are left in the block where the next stripe begins.
func (c *copying) room() int64 {
	if c.block <= 0 {
		return math.MaxInt64
	}
	return c.block - c.at%c.block
}

// describe takes what the file says of all its stripes.
func (c *copying) describe(f *File) error {
	if f.src.Size() == 0 {
		return nil
	}
	if c.first == nil {
		c.first, c.ps, c.foot = f, *f.ps, *f.footer
		c.foot.Stripes, c.foot.Rows, c.foot.HasRows, c.foot.HeaderLength = nil, 0, true, uint64(len(orcwire.Magic))
		c.stats, c.buf = make([]*orcwire.ColumnStats, len(f.footer.Types)), make([]byte, splitcopy.CopyBytes)
		var err error
		if c.block, err = sinkblocks.Within(c.out, c.o.BlockBytes); err != nil {
			return err
		}
		if err := c.write([]byte(orcwire.Magic)); err != nil {
			return err
		}
	} else if err := c.first.Like(f); err != nil { // it may have changed since it was looked at
		return err
	}
	c.ps.BlockSize = max(c.ps.BlockSize, f.ps.BlockSize)
	if c.foot.SoftwareVersion != f.footer.SoftwareVersion {
		c.foot.SoftwareVersion = ""
	}
	for _, kv := range f.footer.Metadata {
		if c.o.Changes(kv.Key) {
			continue
		}
		if v, ok := c.metadata[kv.Key]; ok && !bytes.Equal(v, kv.Value) {
			return splitcopy.Conflict(kv.Key)
		}
		c.metadata[kv.Key] = kv.Value
	}
	return nil
}

// stripe copies one stripe, and what the file says of it.
func (c *copying) stripe(ctx context.Context, f *File, i int) error {
	in := f.footer.Stripes[i]
	n := in.End() - in.Offset
	if end := f.tail.footer.Off; in.End() > end { // checked by Parts
		return located(corrupt("stripe %d ends at %d, but the tail begins at %d", i, in.End(), end), "stripe", in.Offset)
	}
	if room := c.room(); n > room && n <= c.block {
		if err := sinkblocks.Pad(room, c.write); err != nil {
			return err
		}
	}
	s := orcwire.StripeInfo{Offset: c.at, IndexLength: in.IndexLength, DataLength: in.DataLength, FooterLength: in.FooterLength, Rows: in.Rows}
	if err := splitcopy.CopyRange(ctx, c.out, f.src, in.Offset, n, c.o.Progress, c.buf); err != nil {
		return errs.Locate(err, errs.At{Op: "stripe", Split: errs.N(i), Off: errs.N(in.Offset)})
	}
	c.at += n
	c.foot.Stripes = append(c.foot.Stripes, s)
	c.foot.Rows += s.Rows
	list, err := f.stripeStats(ctx, i)
	if err != nil {
		return err
	}
	if c.known = c.known || list.Len() > 0; list.Len() == 0 {
		list = orcwire.StatsOf(make([]*orcwire.ColumnStats, len(c.foot.Types)))
	}
	c.stripes = append(c.stripes, list)
	return nil
}

// count adds the statistics of stripes to those of the file. Where stripes have none, those of the file are as good if all of its stripes
// were copied.
func (c *copying) count(ctx context.Context, f *File, first, end int) error {
	if f.src.Size() == 0 {
		return nil
	}
	var lists []orcwire.StatsList
	for i := first; i < end; i++ {
		list, err := f.stripeStats(ctx, i)
		if err != nil {
			return err
		}
		if list.Len() == len(c.stats) {
			lists = append(lists, list)
		}
	}
	if len(lists) < end-first || first == end {
		if lists = nil; first == 0 && end == len(f.footer.Stripes) {
			lists = []orcwire.StatsList{f.footer.Stats}
		}
	}
	if len(lists) == 0 {
		lists = []orcwire.StatsList{{}} // which says nothing
	}
	for id := range c.stats {
		for _, list := range lists {
			s, err := list.At(id)
			if err != nil {
				return located(kinded(err), "metadata", f.tail.metadata.Off)
			}
			if c.stats[id] == nil {
				c.stats[id] = &s
			} else {
				orcwire.MergeStats(c.stats[id], &s)
			}
		}
	}
	return nil
}

// Holds implements splitcopy.Copy.
func (c *copying) Holds() bool { return false }

// Close implements splitcopy.Copy: it writes the tail.
func (c *copying) Close(context.Context) error { return errs.Locate(c.close(), errs.At{Format: Name}) }

func (c *copying) close() error {
	if c.first == nil {
		return nil // files of no bytes make one
	}
	c.foot.ContentLength = uint64(c.at)
	c.foot.Stats = orcwire.StatsOf(c.stats)
	for k, v := range c.o.Metadata {
		c.metadata[k] = []byte(v)
	}
	c.foot.Metadata = nil
	for _, k := range slices.Sorted(maps.Keys(c.metadata)) {
		c.foot.Metadata = append(c.foot.Metadata, orcwire.KeyValue{Key: k, Value: c.metadata[k]})
	}
	var meta []byte
	var err error
	if c.known {
		if meta, err = c.chunks(orcwire.AppendMetadata(nil, c.stripes)); err != nil {
			return err
		}
	}
	footer, err := c.chunks(orcwire.AppendFooter(nil, &c.foot))
	if err != nil {
		return err
	}
	c.ps.Magic = orcwire.Magic
	tail, err := orcwire.AppendTail(nil, nil, meta, footer, &c.ps)
	if err != nil {
		return err
	}
	return c.write(tail)
}

// chunks stores metadata as the file's compression has it. LZO is not written: such chunks stay as they are.
func (c *copying) chunks(raw []byte) ([]byte, error) {
	p := c.first.packing
	if p.Codec == blockcodec.LZO {
		return orcwire.AppendChunks(nil, raw, p.BlockSize, func(dst, _ []byte) []byte { return dst }), nil
	}
	var sc orcwire.OutScratch
	return sc.AppendChunks(nil, raw, orcwire.OutPacking{Codec: p.Codec, Level: blockcodec.DefaultLevel, Chunked: p.Chunked, BlockSize: p.BlockSize})
}
