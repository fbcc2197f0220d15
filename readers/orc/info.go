package orc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// shownDamage is how many stripes that cannot be read are named.
const shownDamage = 5

// infoStripes is how many stripes' footers are read for an Info that does not list blocks.
const infoStripes = 1024

// Info describes the file: writer, calendar and time zones, and every type of the file as a column, including the root and other
// compound types, with its stored bytes, encodings, index and statistics. Bytes and encodings are those of the first 1024
// stripes; a note says so if there are more. If o.Blocks is set, they are those of all stripes, and every stripe and every stream
// is listed. Notes name stripes that cannot be read.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{
		Format:   Name,
		Rows:     f.footer.Rows,
		Bytes:    f.src.Size(),
		Metadata: map[string][]byte{},
		Schema:   f.schema,
	}
	if !f.noTail {
		info.Version, info.Writer = f.version(), orcwire.WriterName(f.footer, f.ps)
	}
	for _, kv := range f.footer.Metadata {
		info.Metadata[kv.Key] = kv.Value
	}
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	b := infoBuilder{File: f, Info: info, zones: map[string]bool{}, blocks: o.Blocks, groups: o.Groups}
	if f.src.Size() == 0 { // it has no columns and no stripes to be described
		b.notes()
		return info, nil
	}
	if err := b.columns(); err != nil {
		return nil, err
	}
	if err := b.stripes(ctx); err != nil {
		return nil, err
	}
	if err := b.encryption(ctx); err != nil {
		return nil, err
	}
	b.facts()
	b.notes()
	if o.Filter != nil {
		var err error
		if info.Plan, err = f.plan(ctx, o.Filter); err != nil {
			return nil, err
		}
	}
	return info, nil
}

func (f *File) version() string {
	major, minor := f.ps.FileVersion()
	return fmt.Sprintf("%d.%d", major, minor)
}

// rootPath is the name under which the root is listed, which has none.
const rootPath = "(root)"

// infoBuilder is one run of Info.
type infoBuilder struct {
	*File
	*arrowio.Info
	blocks  bool
	groups  bool // statistics of stripes
	zones   map[string]bool
	order   []string // zones, as they come
	read    int      // stripes
	noZone  int      // stripes without one
	damaged int      // stripes that cannot be read
	stream  []stripeStreams
}

// stripeStreams is what the indexes of a column are, over the stripes.
type stripeStreams struct {
	rowIndex, bloom, bloomUTF8 bool
}

// columns describes the types by the footer.
func (b *infoBuilder) columns() error {
	f := b.File
	b.Columns = make([]arrowio.ColumnInfo, len(f.footer.Types))
	b.stream = make([]stripeStreams, len(f.footer.Types))
	for i, t := range f.footer.Types {
		c := &b.Columns[i]
		c.Path, c.Stored = t.Path(), t.Kind.String()
		if c.Path == "" {
			c.Path = rootPath
		}
		if !t.Kind.Compound() {
			c.Stored = t.String()
		}
		c.Codec = f.ps.Compression.String()
		if p := t.Parent; p != nil && (p.Kind == orcwire.List || p.Kind == orcwire.Map) {
			c.Parent = p.Path()
		}
		for _, a := range t.Attributes {
			if c.Metadata == nil {
				c.Metadata = map[string][]byte{}
			}
			c.Metadata[a.Key] = []byte(a.Value)
		}
		s, err := f.footer.Stats.At(i)
		if err != nil {
			return located(err, "footer", f.tail.footer.Off)
		}
		c.Stats = f.statsInfo(t, &s, f.footer.Rows)
	}
	root := f.footer.Types[0]
	if root.Kind != orcwire.Struct {
		b.arrowType(root, f.schema.Field(0).Type)
		return nil
	}
	for i, t := range root.Children {
		b.arrowType(t, f.schema.Field(i).Type)
	}
	return nil
}

// arrowType notes what a type and those below it become.
func (b *infoBuilder) arrowType(t *orcwire.Type, a arrow.DataType) {
	b.Columns[t.ID].Type = a.String()
	switch a := a.(type) {
	case *arrow.StructType:
		for i, c := range t.Children {
			b.arrowType(c, a.Field(i).Type)
		}
	case *arrow.MapType:
		b.arrowType(t.Children[0], a.KeyType())
		b.arrowType(t.Children[1], a.ItemType())
	case *arrow.ListType:
		if t.Kind != orcwire.Map {
			b.arrowType(t.Children[0], a.Elem())
			return
		}
		for i, c := range t.Children { // a map whose keys may be null
			b.arrowType(c, a.Elem().(*arrow.StructType).Field(i).Type)
		}
	case arrow.UnionType:
		for i, c := range t.Children {
			b.arrowType(c, a.Fields()[i].Type)
		}
	}
}

// stripes adds up the streams.
func (b *infoBuilder) stripes(ctx context.Context) error {
	n := len(b.footer.Stripes)
	if !b.blocks && !b.groups {
		n = min(n, infoStripes)
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := b.stripe(ctx, i)
		var e *errs.Error
		if errors.As(err, &e) && !isIO(err) {
			if b.damaged++; b.damaged <= shownDamage {
				b.Notes = append(b.Notes, fmt.Sprintf("! %v", err))
			}
			b.addDamaged(i)
			continue
		}
		if err != nil {
			return err
		}
		b.addStripe(s)
		s.release()
		if b.groups {
			if err := b.stripeStatistics(ctx, i); err != nil {
				return err
			}
		}
	}
	b.read = n
	for i := range b.Columns {
		c, x := &b.Columns[i], b.stream[i]
		var index []string
		if x.rowIndex {
			index = append(index, fmt.Sprintf("row groups of %d", b.footer.RowIndexStride))
		}
		if x.bloomUTF8 {
			index = append(index, "bloom filters")
		} else if x.bloom {
			index = append(index, "bloom filters (original)")
		}
		c.Index = strings.Join(index, ", ")
	}
	return nil
}

func (b *infoBuilder) addStripe(s *stripe) {
	if z := s.footer.Timezone; z == "" {
		b.noZone++
	} else if !b.zones[z] {
		b.zones[z] = true
		b.order = append(b.order, z)
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		e := s.encoding(i).Kind.String()
		streams := s.streams[s.columns[i]:s.columns[i+1]]
		if len(streams) > 0 && !slices.Contains(c.Encodings, e) {
			c.Encodings = append(c.Encodings, e)
		}
		for _, x := range streams {
			c.Bytes += x.len
			if x.len > 0 {
				c.Blocks++
			}
			switch x.kind {
			case orcwire.RowIndex:
				b.stream[i].rowIndex = true
			case orcwire.BloomFilterOriginal:
				b.stream[i].bloom = true
			case orcwire.BloomFilterUTF8:
				b.stream[i].bloomUTF8 = true
			}
			if b.blocks {
				block := arrowio.BlockInfo{Group: s.ordinal, Kind: x.kind.String(), Rows: s.info.Rows, Off: x.off, Bytes: x.len}
				if !x.kind.Index() && x.kind != orcwire.Present {
					block.Encoding = e
				}
				c.BlockList = append(c.BlockList, block)
			}
		}
	}
	if b.blocks || b.groups {
		b.Groups = append(b.Groups, b.group(s))
	}
}

// addDamaged lists a stripe that cannot be read by what the footer says of it, so that groups are numbered as stripes are.
func (b *infoBuilder) addDamaged(ordinal int) {
	if b.blocks || b.groups {
		x := &b.footer.Stripes[ordinal]
		b.Groups = append(b.Groups, arrowio.GroupInfo{
			Rows: arrowio.RowRange{Start: b.first[ordinal], End: b.first[ordinal+1]}, Off: x.Offset, Bytes: x.End() - x.Offset, Index: x.IndexLength,
			Detail: "cannot be read",
		})
	}
	if b.groups {
		for i := range b.Columns {
			if c := &b.Columns[i]; c.GroupStats != nil {
				c.GroupStats = append(c.GroupStats, arrowio.ColumnStats{Values: -1, Nulls: -1})
			}
		}
	}
}

func (b *infoBuilder) group(s *stripe) arrowio.GroupInfo {
	g := arrowio.GroupInfo{
		Rows:  arrowio.RowRange{Start: b.first[s.ordinal], End: b.first[s.ordinal+1]},
		Off:   s.info.Offset,
		Bytes: s.info.End() - s.info.Offset,
		Index: s.info.IndexLength,
	}
	detail := []string{fmt.Sprintf("data %d, footer %d bytes", s.info.DataLength, s.info.FooterLength)}
	if s.footer.Timezone != "" {
		detail = append(detail, "time zone "+s.footer.Timezone)
	}
	g.Detail = strings.Join(detail, ", ")
	return g
}

// facts lists what is said of the file as a whole.
func (b *infoBuilder) facts() {
	add := func(name, format string, args ...any) {
		b.Facts = append(b.Facts, arrowio.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	add("stripes", "%d", len(b.footer.Stripes))
	if b.footer.RowIndexStride > 0 {
		add("stride", "row groups of %d rows", b.footer.RowIndexStride)
	}
	if b.packing.Chunked {
		add("chunks", "%s, up to %d bytes", b.ps.Compression, b.ps.BlockSize)
	} else {
		add("chunks", "not compressed")
	}
	if b.has(orcwire.Date, orcwire.Timestamp, orcwire.TimestampInstant) {
		stored := [...]string{"not said", "hybrid", "proleptic"}
		said := strconv.Itoa(int(b.footer.Calendar))
		if int(b.footer.Calendar) < len(stored) {
			said = stored[b.footer.Calendar]
		}
		read := "proleptic"
		if b.hybrid {
			read = "hybrid"
		}
		add("calendar", "%s, read as %s", said, read)
	}
	if len(b.order) > 0 && b.has(orcwire.Timestamp) {
		add("time zone", "%s", strings.Join(b.order[:min(len(b.order), 8)], ", "))
	}
}

// has reports whether the file has columns of one of the kinds.
func (f *File) has(kinds ...orcwire.Kind) bool {
	return slices.ContainsFunc(f.footer.Types, func(t *orcwire.Type) bool { return slices.Contains(kinds, t.Kind) })
}
