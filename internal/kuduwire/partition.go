package kuduwire

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// Partitioning says how the rows of a table are spread over its tablets: by hashes of some columns of the key, and by
// ranges of some. Ranges may have hashes of their own.
type Partitioning struct {
	Hash   []HashDimension // of all ranges that have no others
	Range  []int           // columns of the key, in the order in which they make the key of a range; none = no ranges
	Ranges []HashedRange   // by Lower
	types  []cfilewire.DataType
}

// HashDimension spreads rows over buckets.
type HashDimension struct {
	Columns []int // of the key, in the order in which they are hashed
	Buckets int32
	Seed    uint32
}

// HashedRange is a range of keys with hashes of its own.
type HashedRange struct {
	Lower, Upper []byte // encoded; empty = open
	Hash         []HashDimension
}

// Partition is the part of a table's rows that a tablet is for.
type Partition struct {
	Buckets      []int32 // one for each hash dimension
	Lower, Upper []byte  // encoded keys of ranges; empty = open
}

// bucketSize is what a bucket takes in the encoded bounds of a partition.
const bucketSize = 4

// Partition returns which rows the tablet is for.
func (s *SuperBlock) Partition() Partition {
	hashes := bucketSize * len(s.HashBuckets)
	return Partition{
		Buckets: s.HashBuckets,
		Lower:   s.PartitionStart[min(hashes, len(s.PartitionStart)):],
		Upper:   s.PartitionEnd[min(hashes, len(s.PartitionEnd)):],
	}
}

// ParsePartitioning reads a PartitionSchemaPB: 1 hash dimensions, 2 columns of ranges, 5 ranges with hashes of their own
// {1 bounds, 2 hash dimensions}. schema is that of the same superblock. Nothing in the result refers to b.
func ParsePartitioning(b []byte, schema *Schema, lim errs.Limits) (*Partitioning, error) {
	p := &Partitioning{}
	keys := schema.Columns[:schema.Keys()]
	for i := range keys {
		if !keys[i].Type.IsKey() {
			return nil, place(errs.Errorf(errs.ErrCorrupt, "key column %q is of type %s", keys[i].Name, keys[i].Type), partitionOp, -1)
		}
		p.types = append(p.types, keys[i].Type)
	}
	if err := p.parse(b, schema, lim.WithDefaults()); err != nil {
		return nil, place(err, partitionOp, -1)
	}
	return p, nil
}

const partitionOp = "partition schema"

func (p *Partitioning) parse(b []byte, schema *Schema, lim errs.Limits) error {
	m := pb.New(b)
	ranged := false
	var bounds [][]byte
	for m.Next() {
		var err error
		switch m.Num {
		case 1:
			p.Hash, err = appendDimension(p.Hash, m.Message(), schema)
		case 2:
			ranged = true
			p.Range, err = keyColumns(m.Message(), 1, schema)
		case 5:
			if len(bounds) == lim.Splits {
				return errs.Errorf(errs.ErrLimit, "more than %d ranges (Splits)", len(bounds))
			}
			bounds = append(bounds, m.Bytes())
		}
		m.Err = orElse(m.Err, err)
	}
	if m.Err != nil {
		return m.Err
	}
	if !ranged { // as for tables that were made without a word about it
		for i := range schema.Keys() {
			if !schema.Columns[i].AutoIncrement {
				p.Range = append(p.Range, i)
			}
		}
	}
	if err := checkDimensions(p.Hash); err != nil {
		return err
	}
	for _, b := range bounds {
		if err := p.addRange(b, schema); err != nil {
			return pb.Inside(err, "range %d", len(p.Ranges))
		}
	}
	slices.SortFunc(p.Ranges, func(a, b HashedRange) int { return bytes.Compare(a.Lower, b.Lower) })
	for i := 1; i < len(p.Ranges); i++ {
		if a, b := &p.Ranges[i-1], &p.Ranges[i]; len(a.Upper) == 0 || bytes.Compare(a.Upper, b.Lower) > 0 {
			return errs.Errorf(errs.ErrCorrupt, "ranges with hashes of their own overlap")
		}
	}
	return nil
}

// appendDimension parses a HashBucketSchemaPB: 1 columns, 2 buckets, 3 seed.
func appendDimension(dst []HashDimension, m pb.Message, schema *Schema) ([]HashDimension, error) {
	d := HashDimension{}
	copied := m // for the columns
	for m.Next() {
		switch m.Num {
		case 2:
			d.Buckets = m.Int32()
		case 3:
			d.Seed = m.Uint32()
		}
	}
	if m.Err != nil {
		return dst, m.Err
	}
	var err error
	if d.Columns, err = keyColumns(copied, 1, schema); err != nil {
		return dst, err
	}
	slices.SortFunc(d.Columns, func(a, b int) int { return cmp.Compare(schema.Columns[a].ID, schema.Columns[b].ID) })
	return append(dst, d), nil
}

// keyColumns returns the positions of the columns that a repeated ColumnIdentifierPB names: 1 id, or 2 name.
func keyColumns(m pb.Message, field protowire.Number, schema *Schema) ([]int, error) {
	columns := []int{}
	for m.Next() {
		if m.Num != field {
			continue
		}
		at := -1
		c := m.Message()
		for c.Next() {
			switch c.Num {
			case 1:
				at = schema.Index(c.Int32())
			case 2:
				name := c.String()
				at = slices.IndexFunc(schema.Columns, func(x Column) bool { return x.Name == name })
			}
		}
		switch {
		case c.Err != nil:
			return nil, c.Err
		case at < 0 || at >= schema.Keys():
			return nil, errs.Errorf(errs.ErrCorrupt, "a column that is not of the key")
		case slices.Contains(columns, at):
			return nil, errs.Errorf(errs.ErrCorrupt, "column %q twice", schema.Columns[at].Name)
		}
		columns = append(columns, at)
	}
	return columns, m.Err
}

// checkDimensions checks hash dimensions that count together.
func checkDimensions(hash []HashDimension) error {
	used := map[int]bool{}
	for i := range hash {
		if hash[i].Buckets < 2 || len(hash[i].Columns) == 0 {
			return errs.Errorf(errs.ErrCorrupt, "a hash of %d columns into %d buckets", len(hash[i].Columns), hash[i].Buckets)
		}
		for _, c := range hash[i].Columns {
			if used[c] {
				return errs.Errorf(errs.ErrCorrupt, "a column of two hashes")
			}
			used[c] = true
		}
	}
	return nil
}

// addRange parses a RangeWithHashSchemaPB: 1 bounds, a RowOperationsPB{2 rows, 3 strings}, 2 hash dimensions.
func (p *Partitioning) addRange(b []byte, schema *Schema) error {
	r := HashedRange{}
	var rows, indirect []byte
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			ops := m.Message()
			for ops.Next() {
				switch ops.Num {
				case 2:
					rows = ops.Bytes()
				case 3:
					indirect = ops.Bytes()
				}
			}
			m.Err = orElse(m.Err, ops.Err)
		case 2:
			var err error
			r.Hash, err = appendDimension(r.Hash, m.Message(), schema)
			m.Err = orElse(m.Err, err)
		}
	}
	if m.Err != nil {
		return m.Err
	}
	if err := checkDimensions(r.Hash); err != nil {
		return err
	}
	layout, err := NewRowLayout(schema)
	if err != nil {
		return err
	}
	var ops RowOps
	ops.openBounds(layout, rows, indirect)
	for i, bound := range []*[]byte{&r.Lower, &r.Upper} {
		if !ops.Next() || ops.Type != rangeLower+RowOpType(i) {
			return orElse(ops.Err(), errs.Errorf(errs.ErrCorrupt, "a range without a lower or an upper bound"))
		}
		if *bound, err = p.bound(ops.Cells); err != nil {
			return err
		}
	}
	if ops.Next() || ops.Err() != nil || len(r.Upper) > 0 && bytes.Compare(r.Lower, r.Upper) >= 0 {
		return orElse(ops.Err(), errs.Errorf(errs.ErrCorrupt, "bounds that are none"))
	}
	p.Ranges = append(p.Ranges, r)
	return nil
}

// bound encodes the bound of a range. A column that is not set has its least value; without any the range is open.
func (p *Partitioning) bound(cells []RowCell) (key []byte, err error) {
	set := false
	for i, c := range p.Range {
		cell := leastCell(p.types[c])
		if cells[c].Null {
			return nil, errs.Errorf(errs.ErrCorrupt, "a bound that is null")
		}
		if cells[c].Set {
			cell, set = cells[c].Value, true
		}
		if key, err = cfilewire.AppendKey(key, p.types[c], cell, i == len(p.Range)-1); err != nil {
			return nil, err
		}
	}
	if !set {
		return nil, nil
	}
	return key, nil
}

// leastDate is the first day of the year 1, before which Kudu's dates do not go.
const leastDate = -719162

// leastCell returns the least value that Kudu has for a type.
func leastCell(t cfilewire.DataType) []byte {
	cell := make([]byte, t.Width())
	switch {
	case t == cfilewire.Date:
		day := int32(leastDate)
		binary.LittleEndian.PutUint32(cell, uint32(day))
	case t.Signed():
		cell[len(cell)-1] = 0x80
	}
	return cell
}

// dimensions returns the hashes of the range that a range key is in.
func (p *Partitioning) dimensions(key []byte) []HashDimension {
	i := sort.Search(len(p.Ranges), func(i int) bool { return bytes.Compare(p.Ranges[i].Lower, key) > 0 }) - 1
	if i < 0 || len(p.Ranges[i].Upper) > 0 && bytes.Compare(p.Ranges[i].Upper, key) <= 0 {
		return p.Hash
	}
	return p.Ranges[i].Hash
}

// Router tells which partition a row belongs to, by its encoded primary key. It belongs to one goroutine.
type Router struct {
	p     *Partitioning
	parts [][]byte // columns of the key that was routed last, encoded, with what ends those that others follow
	whole bool     // the key of ranges is the primary key
	key   []byte
	rang  []byte // key of ranges of the row
	built []byte // memory for it
	hash  []byte

	hashed  bool // buckets are those of the row
	buckets []int32
}

// NewRouter returns a router for tables that are spread so.
func (p *Partitioning) NewRouter() *Router {
	r := &Router{p: p, parts: make([][]byte, len(p.types)), whole: len(p.Range) == len(p.types)}
	for i, c := range p.Range {
		r.whole = r.whole && i == c
	}
	return r
}

// Route takes a row's encoded primary key, which must not change until the next. A key that cannot be one of the table is
// errs.ErrCorrupt.
func (r *Router) Route(key []byte) error {
	r.key, r.hashed = key, false
	last := len(r.p.types) - 1
	for i, t := range r.p.types {
		n := t.Width()
		switch {
		case n > 0:
			if n > len(key) {
				return errs.Errorf(errs.ErrCorrupt, "a key that ends within column %d of it", i)
			}
		case i == last:
			n = len(key)
		default:
			if n = separatedLen(key); n == 0 {
				return errs.Errorf(errs.ErrCorrupt, "a key that ends within column %d of it", i)
			}
		}
		r.parts[i], key = key[:n], key[n:]
	}
	if len(key) > 0 {
		return errs.Errorf(errs.ErrCorrupt, "a key with %d bytes behind its last column", len(key))
	}
	if r.whole {
		r.rang = r.key
		return nil
	}
	r.built = r.encode(r.built[:0], r.p.Range)
	r.rang = r.built
	return nil
}

// separatedLen returns the length of a binary part that another one follows, with its end; 0 = it has none.
func separatedLen(key []byte) int {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(key[at:], 0)
		if at += i; i < 0 || at+1 == len(key) || key[at+1] > 1 {
			return 0
		}
		if key[at+1] == 0 {
			return at + 2
		}
	}
}

// encode appends the key that some columns make.
func (r *Router) encode(dst []byte, columns []int) []byte {
	for i, c := range columns {
		e := r.parts[c]
		t := r.p.types[c]
		ends, wants := c < len(r.p.types)-1, i < len(columns)-1
		switch {
		case !t.Binary() || ends == wants:
			dst = append(dst, e...)
		case wants:
			dst, _ = cfilewire.AppendKey(dst, t, e, false) // its type is one of keys
		default:
			e = e[:len(e)-2]
			for i := 0; i < len(e); i++ {
				if dst = append(dst, e[i]); e[i] == 0 {
					i++
				}
			}
		}
	}
	return dst
}

// In reports whether the row that was routed last belongs to a partition.
func (r *Router) In(x *Partition) bool {
	if bytes.Compare(r.rang, x.Lower) < 0 || len(x.Upper) > 0 && bytes.Compare(r.rang, x.Upper) >= 0 {
		return false
	}
	if !r.hashed {
		r.spread()
	}
	return slices.Equal(r.buckets, x.Buckets)
}

// spread finds the buckets of the row.
func (r *Router) spread() {
	r.hashed, r.buckets = true, r.buckets[:0]
	for _, d := range r.p.dimensions(r.rang) {
		r.hash = r.encode(r.hash[:0], d.Columns)
		r.buckets = append(r.buckets, int32(murmur2(r.hash, uint64(d.Seed))%uint64(d.Buckets)))
	}
}

// murmur2 is MurmurHash2 of 64 bits.
func murmur2(b []byte, seed uint64) uint64 {
	const prime, shift = 0xc6a4a7935bd1e995, 47
	h := seed ^ uint64(len(b))*prime
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * prime
		k ^= k >> shift
		h = (h ^ k*prime) * prime
	}
	if len(b) > 0 {
		for i, c := range b {
			h ^= uint64(c) << (8 * i)
		}
		h *= prime
	}
	h = (h ^ h>>shift) * prime
	return h ^ h>>shift
}
