package kudu

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Definition is what makes a table anew.
type Definition struct {
	// Tool is what `kudu table create` takes.
	Tool []byte
	// Ranges are commands of Kudu's tool that add the ranges that Tool cannot have, because they have hashes of their own. MASTERS
	// stands for the addresses of the masters.
	Ranges []string
	// Impala is a CREATE TABLE of Impala.
	Impala string
	// Notes say what is not as it was.
	Notes []string
}

// Define returns what makes the table that o names anew, as far as the superblocks of the tablets that are here tell. It reads no
// rows. path is the server's WAL directory.
func Define(ctx context.Context, path string, limits arrowio.Limits, o Options) (*Definition, error) {
	if o.ofSeveral() {
		return defineOfSeveral(ctx, path, limits, o)
	}
	o.noData = o.Rebuild == ""
	s, err := openServer(ctx, path, limits, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.blocks.Close() }() // it was only read
	f := &File{server: s, dirs: s.dirs, blocks: s.blocks, limits: s.limits, opt: s.opt}
	if err := f.choose(ctx); err != nil {
		return nil, err
	}
	for _, t := range f.tablets {
		t.schema, t.version = t.super.Schema, t.super.SchemaVersion
	}
	if err := f.makeSchema(newestOf(f.tablets)); err != nil {
		return nil, err
	}
	return f.definition()
}

// definition returns what makes the table anew.
func (f *File) definition() (*Definition, error) {
	d := &definer{File: f, out: &Definition{}}
	for _, t := range f.tablets {
		if t.rebuilt == nil {
			d.supers = append(d.supers, t.super)
		}
	}
	if err := d.partitions(); err != nil {
		return nil, err
	}
	d.replicas = d.countReplicas()
	if err := d.tool(); err != nil {
		return nil, err
	}
	d.impala()
	return d.out, nil
}

// definer makes a Definition.
type definer struct {
	*File
	out      *Definition
	supers   []*kuduwire.SuperBlock
	parts    *kuduwire.Partitioning // nil = not known
	schema   *kuduwire.Schema       // that parts refer to
	ranges   []kuduwire.Partition   // that the tablets have, each once, without buckets
	replicas int
}

func (d *definer) note(format string, args ...any) {
	d.out.Notes = append(d.out.Notes, fmt.Sprintf(format, args...))
}

// partitions finds the ranges of the tablets.
func (d *definer) partitions() error {
	d.schema = &kuduwire.Schema{Columns: d.columns}
	if len(d.supers) == 0 {
		d.note("how the table was partitioned is not known: it gets one partition")
		return nil
	}
	newest := slices.MaxFunc(d.supers, func(a, b *kuduwire.SuperBlock) int { return int(a.SchemaVersion) - int(b.SchemaVersion) })
	p, err := kuduwire.ParsePartitioning(newest.Partitioning, d.schema, d.limits)
	if err != nil {
		return errs.Locate(err, errs.At{Format: Name, Op: "partitions of table " + d.table})
	}
	d.parts = p
	for _, s := range d.supers {
		x := s.Partition()
		x.Buckets = nil
		if !slices.ContainsFunc(d.ranges, func(o kuduwire.Partition) bool { return bytes.Equal(o.Lower, x.Lower) && bytes.Equal(o.Upper, x.Upper) }) {
			d.ranges = append(d.ranges, x)
		}
	}
	slices.SortFunc(d.ranges, func(a, b kuduwire.Partition) int { return bytes.Compare(a.Lower, b.Lower) })
	if len(d.ranges) > 1 || len(d.ranges[0].Lower)+len(d.ranges[0].Upper) > 0 {
		d.note("the ranges are those of the tablets that are here; the table may have others on other servers")
	}
	return nil
}

// countReplicas returns how many servers vote in the tablets; 0 = not known.
func (d *definer) countReplicas() (n int) {
	for _, s := range d.supers {
		if voters, _, err := d.dirs.Voters(s.TabletID); err == nil {
			n = max(n, len(voters))
		}
	}
	return n
}

// own returns the hashes of a range that has its own; nil = it has those of the table.
func (d *definer) own(x *kuduwire.Partition) *kuduwire.HashedRange {
	for i := range d.parts.Ranges {
		if r := &d.parts.Ranges[i]; bytes.Equal(r.Lower, x.Lower) && bytes.Equal(r.Upper, x.Upper) {
			return r
		}
	}
	return nil
}

// Shapes of the JSON that `kudu table create` takes.
type (
	toolTable struct {
		Name      string        `json:"table_name"`
		Schema    toolSchema    `json:"schema"`
		Partition toolPartition `json:"partition"`
		Replicas  int           `json:"num_replicas,omitempty"`
	}
	toolSchema struct {
		Columns []toolColumn `json:"columns"`
		Keys    []string     `json:"key_column_names"`
	}
	toolColumn struct {
		Name        string          `json:"column_name"`
		Type        string          `json:"column_type"`
		Nullable    bool            `json:"is_nullable"`
		Default     *string         `json:"default_value,omitempty"`
		Comment     string          `json:"comment,omitempty"`
		Encoding    string          `json:"encoding,omitempty"`
		Compression string          `json:"compression,omitempty"`
		Attributes  *toolAttributes `json:"type_attributes,omitempty"`
		BlockSize   int32           `json:"cfile_block_size,omitempty"`
	}
	toolAttributes struct {
		Precision int32 `json:"precision,omitempty"`
		Scale     int32 `json:"scale,omitempty"`
		Length    int32 `json:"length,omitempty"`
	}
	toolPartition struct {
		Hash  []toolHash `json:"hash_partitions,omitempty"`
		Range *toolRange `json:"range_partition,omitempty"`
	}
	toolHash struct {
		Columns []string `json:"columns"`
		Buckets int32    `json:"num_buckets"`
		Seed    uint32   `json:"seed,omitempty"`
	}
	toolRange struct {
		Columns []string    `json:"columns"`
		Bounds  []toolBound `json:"range_bounds,omitempty"`
	}
	toolBound struct {
		Lower *toolEdge `json:"lower_bound,omitempty"`
		Upper *toolEdge `json:"upper_bound,omitempty"`
	}
	toolEdge struct {
		Type   string   `json:"bound_type"`
		Values []string `json:"bound_values"`
	}
)

// toolEncodings and toolCompressions are what Kudu's tool and Impala call them.
var (
	toolEncodings = map[cfilewire.Encoding]string{
		cfilewire.EncodingPlain: "PLAIN_ENCODING", cfilewire.EncodingPrefix: "PREFIX_ENCODING", cfilewire.EncodingRLE: "RLE",
		cfilewire.EncodingDict: "DICT_ENCODING", cfilewire.EncodingBitShuffle: "BIT_SHUFFLE",
	}
	toolCompressions = map[string]string{"none": "NO_COMPRESSION", "snappy": "SNAPPY", "lz4": "LZ4", "zlib": "ZLIB"}
)

// tool makes the JSON of Kudu's tool.
func (d *definer) tool() error {
	x := toolTable{Name: d.table, Replicas: d.replicas}
	for i := range d.columns {
		c := &d.columns[i]
		t := toolColumn{
			Name: c.Name, Type: strings.ToUpper(c.Type.String()), Nullable: c.Nullable, Comment: c.Comment,
			Encoding: toolEncodings[c.Encoding], Compression: toolCompressions[c.Compression.String()], BlockSize: c.BlockSize,
		}
		switch {
		case c.Type.Decimal() > 0:
			t.Type = "DECIMAL"
			t.Attributes = &toolAttributes{Precision: c.Precision, Scale: c.Scale}
		case c.Type == cfilewire.Varchar:
			t.Attributes = &toolAttributes{Length: c.Length}
		}
		if c.Array {
			d.note("column %s: Kudu's tool and Impala have no arrays; it is left out of both", c.Name)
			continue
		}
		if c.WriteDefault != nil && !c.Key {
			if text, ok := literal(c, c.WriteDefault); ok {
				t.Default = &text
			} else {
				d.note("column %s: Kudu's tool cannot be given its default, %s", c.Name, cellText(c, c.WriteDefault))
			}
		}
		if c.AutoIncrement {
			d.note("column %s was auto-incrementing, which Kudu's tool cannot make: it becomes a column like others", c.Name)
		}
		if c.Immutable {
			d.note("column %s was immutable, which Kudu's tool cannot make", c.Name)
		}
		x.Schema.Columns = append(x.Schema.Columns, t)
		if c.Key {
			x.Schema.Keys = append(x.Schema.Keys, c.Name)
		}
	}
	if d.parts != nil {
		x.Partition.Hash = d.toolHash(d.parts.Hash)
		d.toolRanges(&x)
	} else {
		x.Partition.Range = &toolRange{Columns: []string{}}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(x)
	d.out.Tool = b.Bytes()
	return err
}

func (d *definer) toolHash(hash []kuduwire.HashDimension) (out []toolHash) {
	for _, h := range hash {
		out = append(out, toolHash{d.names(h.Columns), h.Buckets, h.Seed})
	}
	return out
}

func (d *definer) names(columns []int) []string {
	out := []string{}
	for _, c := range columns {
		out = append(out, d.columns[c].Name)
	}
	return out
}

func (d *definer) toolRanges(x *toolTable) {
	r := &toolRange{Columns: d.names(d.parts.Range)}
	x.Partition.Range = r
	for i := range d.ranges {
		p := &d.ranges[i]
		if len(p.Lower)+len(p.Upper) == 0 {
			continue
		}
		b := toolBound{d.edge("INCLUSIVE", p.Lower), d.edge("EXCLUSIVE", p.Upper)}
		if own := d.own(p); own != nil {
			d.addRange(x.Name, b, own)
			continue
		}
		r.Bounds = append(r.Bounds, b)
	}
	if len(r.Columns) > 1 && len(r.Bounds) > 0 {
		d.note("Kudu's tool may mix up the columns of a range of several, or refuse it: see with kudu table describe what it has made")
	}
	if len(r.Bounds) == 0 && len(d.out.Ranges) > 0 {
		d.note("a table must have a range when it is made: the commands in it add the others; drop the one without bounds")
	}
}

// edge is a bound of a range; nil = it is open.
func (d *definer) edge(kind string, key []byte) *toolEdge {
	if len(key) == 0 {
		return nil
	}
	out := &toolEdge{Type: kind, Values: []string{}}
	d.boundCells(key, func(c *kuduwire.Column, cell []byte) {
		text, ok := literal(c, cell)
		if !ok {
			d.note("Kudu's tool cannot be given the bound %s of column %s", cellText(c, cell), c.Name)
		}
		out.Values = append(out.Values, text)
	})
	return out
}

// boundCells calls put with the cells of a bound. What a bound lacks is the least value.
func (d *definer) boundCells(key []byte, put func(c *kuduwire.Column, cell []byte)) {
	for i, at := range d.parts.Range {
		c := &d.columns[at]
		cell, rest, _, err := cfilewire.DecodeKeyPrefix(key, c.Type, i == len(d.parts.Range)-1)
		if err != nil {
			d.note("a bound of column %s cannot be read: %v", c.Name, err)
			return
		}
		put(c, cell)
		key = rest
	}
}

// addRange writes the command that adds a range with hashes of its own.
func (d *definer) addRange(table string, b toolBound, own *kuduwire.HashedRange) {
	bound := func(e *toolEdge) string {
		if e == nil {
			return "[]"
		}
		values, _ := json.Marshal(e.Values) // text
		return string(values)
	}
	hash, _ := json.Marshal(map[string]any{"hash_schema": d.toolHash(own.Hash)}) // numbers and text
	d.out.Ranges = append(d.out.Ranges, fmt.Sprintf("kudu table add_range_partition MASTERS %s %s %s --hash_schema=%s",
		shellWord(table), shellWord(bound(b.Lower)), shellWord(bound(b.Upper)), shellWord(string(hash))))
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
