package kudu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Bounds of an Info that does not list blocks.
const (
	infoRowSets  = 1024 // whose blocks are opened
	infoTablets  = 64   // that are described
	shownDamage  = 5    // blocks that cannot be read and are named
	infoBuckets  = 8    // hash buckets that are named
	infoDefaults = 40   // bytes of a default that are shown
)

// Info describes the table: whose it is, its tablets with their logs, and its columns as they are stored. Behind the
// columns come, in parentheses, what else takes bytes: indexes, bloom filters, deltas, dropped columns. Where blocks are
// asked for every block is listed, by what it is for, and every rowset as a group; else only the blocks of the first 1024
// rowsets are looked at, and a note says so. Checksums read every block. Blocks that cannot be read are in notes.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	rows := int64(0)
	if n := len(f.splits); n > 0 {
		rows = f.splits[n-1].Rows.End
	}
	info := &arrowio.Info{Format: Name, Rows: rows, Bytes: f.BytesStored(), Schema: f.schema, Notes: f.allNotes()}
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	b := &infoBuilder{File: f, Info: info, ctx: ctx, o: o, places: f.places(), extra: map[string]int{}, byID: map[int32]int{}}
	b.columns()
	if err := b.tablets(); err != nil {
		return nil, err
	}
	b.facts()
	if o.Filter != nil {
		var err error
		if info.Plan, err = f.plan(ctx, o.Filter, b.places); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// infoBuilder is one run of Info.
type infoBuilder struct {
	*File
	*arrowio.Info
	ctx     context.Context
	o       arrowio.InfoOptions
	places  *places
	byID    map[int32]int  // columns
	extra   map[string]int // what is no column
	read    int            // rowsets
	rowsets int
	damaged int
	group   int
	doubled map[int]int // verdicts that are not ok, by column
}

// places says which rows of the table are whose.
type places struct {
	rowsets map[*kuduwire.RowSet]arrowio.RowRange
	memory  map[*tablet]arrowio.RowRange // those that only the log has
	parts   map[*rowset][]int            // indices into File.parts
}

func (f *File) places() *places {
	out := &places{
		rowsets: map[*kuduwire.RowSet]arrowio.RowRange{}, memory: map[*tablet]arrowio.RowRange{}, parts: map[*rowset][]int{},
	}
	for i, p := range f.parts {
		rows := f.splits[i].Rows
		if p.rowset == nil {
			r, ok := out.memory[p.tablet]
			if !ok {
				r.Start = rows.Start
			}
			r.End = rows.End
			out.memory[p.tablet] = r
			continue
		}
		out.parts[p.rowset] = append(out.parts[p.rowset], i)
		r, ok := out.rowsets[p.rowset.meta]
		if !ok {
			r.Start = rows.Start
		}
		r.End = rows.End
		out.rowsets[p.rowset.meta] = r
	}
	return out
}

// columns describes the columns by the schema.
func (b *infoBuilder) columns() {
	for i := range b.File.columns {
		c := &b.File.columns[i]
		b.byID[c.ID] = len(b.Columns)
		x := arrowio.ColumnInfo{Path: c.Name, Type: b.schema.Field(i).Type.String(), Stored: columnText(c), Metadata: map[string][]byte{}}
		set := func(key, value string) { x.Metadata["kudu."+key] = []byte(value) }
		set("id", fmt.Sprint(c.ID))
		set("key", fmt.Sprint(c.Key))
		set("nullable", fmt.Sprint(c.Nullable))
		set("encoding", c.Encoding.Resolve(c.Type).String())
		set("compression", c.Compression.String())
		if c.ReadDefault != nil {
			set("read_default", cfile.CellText(c.Type, c.Scale, c.ReadDefault))
		}
		if c.WriteDefault != nil {
			set("write_default", cfile.CellText(c.Type, c.Scale, c.WriteDefault))
		}
		if c.Comment != "" {
			set("comment", c.Comment)
		}
		b.Columns = append(b.Columns, x)
	}
}

// columnText says what a column is, in Kudu's words.
func columnText(c *kuduwire.Column) string {
	t := c.Type.String()
	switch {
	case c.Type.Decimal() > 0:
		t = fmt.Sprintf("%s(%d, %d)", t, c.Precision, c.Scale)
	case c.Type == cfilewire.Varchar && c.Length > 0:
		t = fmt.Sprintf("varchar(%d)", c.Length)
	}
	if c.Array {
		t = "array of " + t
	}
	words := []string{t}
	switch {
	case c.Key:
		words = append(words, "key")
	case c.Nullable:
		words = append(words, "nullable")
	}
	if c.AutoIncrement {
		words = append(words, "auto-incrementing")
	}
	if c.Immutable {
		words = append(words, "immutable")
	}
	words = append(words, fmt.Sprintf("id %d", c.ID))
	if c.WriteDefault != nil {
		words = append(words, "default "+cellText(c, c.WriteDefault))
	}
	if c.ReadDefault != nil && string(c.ReadDefault) != string(c.WriteDefault) {
		words = append(words, "of older rows "+cellText(c, c.ReadDefault))
	}
	return strings.Join(words, ", ")
}

func cellText(c *kuduwire.Column, cell []byte) string {
	if c.Array {
		return fmt.Sprintf("x%x", cell[:min(len(cell), infoDefaults)])
	}
	return cfile.CellText(c.Type, c.Scale, cell)
}

// tablets adds up the blocks of all rowsets.
func (b *infoBuilder) tablets() error {
	for _, t := range b.File.tablets {
		b.rowsets += len(t.super.RowSets)
	}
	for _, t := range b.File.tablets {
		uses := t.super.Blocks()
		for i := range t.super.RowSets {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			rs := &t.super.RowSets[i]
			n := 0
			for n < len(uses) && uses[n].RowSet == rs.ID {
				n++
			}
			if b.read < infoRowSets || b.o.Blocks {
				if err := b.rowset(t, rs, uses[:n]); err != nil {
					return err
				}
				b.read++
			}
			uses = uses[n:]
		}
		if n := t.mem.len(); n > 0 && b.o.Blocks {
			b.Groups = append(b.Groups, arrowio.GroupInfo{
				Rows: b.places.memory[t], Off: -1, Detail: fmt.Sprintf("tablet %s, %s that only the log has", t.id, count(int64(n), "row")),
			})
			b.group++
		}
	}
	note := func(format string, args ...any) { b.Notes = append(b.Notes, fmt.Sprintf(format, args...)) }
	if b.read < b.rowsets {
		note("bytes, encodings, codecs and checksums of columns are those of the first %d of %d rowsets; arrowio inspect --blocks looks at all", b.read, b.rowsets)
	}
	if b.damaged > shownDamage {
		note("! %d blocks more cannot be read; verify names them", b.damaged-shownDamage)
	}
	return nil
}

// damage notes a block that cannot be read. It returns what says nothing about the block.
func (b *infoBuilder) damage(err error) error {
	var e *errs.Error
	if b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	if !errors.As(err, &e) {
		return err
	}
	if b.damaged++; b.damaged <= shownDamage {
		b.Notes = append(b.Notes, "! "+err.Error())
	}
	return nil
}

// entry returns where a block is counted: at its column, or at what else it is.
func (b *infoBuilder) entry(u kuduwire.BlockUse) (at int) {
	name, stored := "("+kindOf(u)+")", ""
	switch u.Role {
	case kuduwire.BlockOfColumn:
		if at, ok := b.byID[u.Column]; ok {
			return at
		}
		name, stored = fmt.Sprintf("(dropped column, id %d)", u.Column), "dropped column"
	case kuduwire.BlockOfRedo:
		stored = "changes after the flush"
	case kuduwire.BlockOfUndo:
		stored = "changes before the flush"
	case kuduwire.BlockOfBloom:
		stored = "filters of keys"
	case kuduwire.BlockOfAdHoc:
		stored = "encoded keys"
	}
	at, ok := b.extra[name]
	if !ok {
		at = len(b.Columns)
		b.extra[name] = at
		b.Columns = append(b.Columns, arrowio.ColumnInfo{Path: name, Stored: stored})
	}
	return at
}

// kindOf says what kind of a block it is.
func kindOf(u kuduwire.BlockUse) string {
	switch u.Role {
	case kuduwire.BlockOfRedo:
		return "redo deltas"
	case kuduwire.BlockOfUndo:
		return "undo deltas"
	case kuduwire.BlockOfBloom:
		return whatBloom
	case kuduwire.BlockOfAdHoc:
		return whatIndex
	}
	return "column"
}

// rowset adds the blocks of a rowset.
func (b *infoBuilder) rowset(t *tablet, rs *kuduwire.RowSet, uses []kuduwire.BlockUse) error {
	g := rowsetInfo{rows: -1}
	for _, u := range uses {
		at := b.entry(u)
		path, where, err := b.blocks.At(u.Block)
		block := arrowio.BlockInfo{Group: b.group, Kind: kindOf(u), Where: path, Off: where.Off, Bytes: where.Len}
		if b.set == nil {
			block.ID = kuduwire.BlockName(u.Block)
		}
		c := &b.Columns[at]
		c.Bytes += where.Len
		c.Blocks++
		g.add(u.Role, where.Len)
		if err == nil {
			err = b.footer(t, u, c, at, &block, &g)
		}
		if err != nil {
			block.Verdict = "cannot be read"
			if err := b.damage(inRowSet(err, &rowset{tablet: t, meta: rs})); err != nil {
				return err
			}
		}
		if b.o.Blocks {
			c = &b.Columns[at]
			c.BlockList = append(c.BlockList, block)
		}
	}
	if b.o.Blocks {
		b.Groups = append(b.Groups, arrowio.GroupInfo{
			Rows: b.places.rowsets[rs], Off: -1, Bytes: g.bytes, Index: g.index, Detail: b.rowsetText(t, rs, &g),
		})
		b.group++
	}
	return nil
}

// footer takes what the footer of a block says.
func (b *infoBuilder) footer(t *tablet, u kuduwire.BlockUse, c *arrowio.ColumnInfo, at int, block *arrowio.BlockInfo, g *rowsetInfo) error {
	what := kindOf(u)
	if u.Role == kuduwire.BlockOfColumn {
		what = columnName(t.schema, u.Column)
	}
	r, closer, err := b.File.block(b.ctx, u.Block, what)
	if err != nil {
		return err
	}
	defer closer.Close()
	f := r.Footer()
	block.Rows, block.Encoding = r.Rows(), f.Encoding.String()
	addWord(&c.Encodings, f.Encoding.String())
	c.Codec = joinWord(c.Codec, f.Compression.String())
	if f.Checksums {
		c.Checksum = joinWord(c.Checksum, "crc32c")
	}
	switch u.Role {
	case kuduwire.BlockOfColumn:
		g.rows = r.Rows()
		if f.Val != nil {
			c.Index = "value index"
			g.keys(r)
		}
	case kuduwire.BlockOfAdHoc:
		g.keys(r)
	case kuduwire.BlockOfRedo:
		g.redo.add(r.DeltaStats())
	case kuduwire.BlockOfUndo:
		g.undo.add(r.DeltaStats())
	}
	if !b.o.Checksums {
		return nil
	}
	d, err := r.Describe(b.ctx, b.describedAs(at), arrowio.InfoOptions{Checksums: true})
	if err != nil {
		return err
	}
	v := d.Column.Verdict
	block.Verdict = v
	switch v {
	case "", "no blocks":
	case "ok":
		if c.Verdict == "" {
			c.Verdict = v
		}
	default:
		if b.doubled == nil {
			b.doubled = map[int]int{}
		}
		b.doubled[at]++
		c.Verdict = fmt.Sprintf("%s damaged", count(int64(b.doubled[at]), "file"))
		where := block.Where
		if b.set == nil {
			where = fmt.Sprintf("tablet %s, %v, block %s", t.id, u, kuduwire.BlockName(u.Block))
		}
		b.Notes = append(b.Notes, fmt.Sprintf("! %s: checksums: %s", where, v))
	}
	return nil
}

func addWord(words *[]string, w string) {
	if !slices.Contains(*words, w) {
		*words = append(*words, w)
	}
}

// joinWord adds a word to a list of words.
func joinWord(list, w string) string {
	switch {
	case list == "":
		return w
	case slices.Contains(strings.Split(list, " "), w):
		return list
	}
	return list + " " + w
}
