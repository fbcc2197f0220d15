package kuduwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// Kudu's own tests have these hashes, in C++ and in Java.
func TestMurmur2(t *testing.T) {
	for _, c := range []struct {
		text string
		seed uint64
		want uint64
	}{
		{"ab", 0, 7115271465109541368},
		{"abcdefg", 0, 2601573339036254301},
		{"quick brown fox", 42, 3575930248840144026},
	} {
		if got := murmur2([]byte(c.text), c.seed); got != c.want {
			t.Errorf("%q: %d, want %d", c.text, got, c.want)
		}
	}
}

func columnID(id int64) msg { return msg{}.num(1, id) }

func dimension(buckets, seed int64, columns ...int64) msg {
	m := msg{}
	for _, c := range columns {
		m = m.sub(1, columnID(c))
	}
	m = m.num(2, buckets)
	if seed != 0 {
		m = m.num(3, seed)
	}
	return m
}

func ranged(columns ...int64) msg {
	m := msg{}
	for _, c := range columns {
		m = m.sub(1, columnID(c))
	}
	return m
}

// three is a schema of a key (a string, b int32, c date), the ids of which descend, and a column besides.
func three(t testing.TB) *Schema {
	t.Helper()
	s, err := ParseSchema(pb.New(schemaOf(
		column(12, "a", cfilewire.String, true), column(11, "b", cfilewire.Int32, true), column(10, "c", cfilewire.Date, true), column(9, "v", cfilewire.Int8, false),
	)), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func keyOf(t testing.TB, a string, b, c int32) []byte {
	t.Helper()
	key, err := cfilewire.AppendKey(nil, cfilewire.String, []byte(a), false)
	for i, v := range []int32{b, c} {
		if err == nil {
			key, err = cfilewire.AppendKey(key, []cfilewire.DataType{cfilewire.Int32, cfilewire.Date}[i], binary.LittleEndian.AppendUint32(nil, uint32(v)), i == 1)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func mustPartition(t testing.TB, m msg, s *Schema) *Partitioning {
	t.Helper()
	p, err := ParsePartitioning(m, s, noLimits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPartitioning(t *testing.T) {
	s := three(t)
	p := mustPartition(t, msg{}.sub(1, dimension(4, 7, 12, 10)).sub(1, msg{}.sub(1, msg{}.str(2, "b")).num(2, 3)).sub(2, ranged(10, 12)), s)
	want := []HashDimension{{Columns: []int{2, 0}, Buckets: 4, Seed: 7}, {Columns: []int{1}, Buckets: 3}} // by id, not as told
	if !reflect.DeepEqual(p.Hash, want) || !reflect.DeepEqual(p.Range, []int{2, 0}) {
		t.Errorf("%+v", p)
	}
	if p := mustPartition(t, msg{}, s); !reflect.DeepEqual(p.Range, []int{0, 1, 2}) || len(p.Hash) != 0 {
		t.Errorf("of no word: %+v", p)
	}
	if p := mustPartition(t, msg{}.sub(2, msg{}), s); len(p.Range) != 0 {
		t.Errorf("of no range: %+v", p)
	}
}

// The key of ranges and what is hashed are made of parts of the primary key, which end otherwise where they stand
// elsewhere.
func TestRouterEncodes(t *testing.T) {
	s := three(t)
	s.Columns[2].Type = cfilewire.Binary
	p := mustPartition(t, msg{}.sub(2, ranged(10, 11, 12)), s)
	r := p.NewRouter()
	// (a\0z, 1, q\0): a with its end, b, c without one
	key := append([]byte("a\x00\x01z\x00\x00"), 0x80, 0, 0, 1)
	key = append(key, "q\x00"...)
	if err := r.Route(key); err != nil {
		t.Fatal(err)
	}
	want := append([]byte("q\x00\x01\x00\x00"), 0x80, 0, 0, 1)
	if want = append(want, "a\x00z"...); !bytes.Equal(r.rang, want) {
		t.Errorf("got %q, want %q", r.rang, want)
	}
	for _, x := range []struct {
		lower, upper string
		in           bool
	}{{"", "", true}, {"q", "", true}, {"r", "", false}, {"", "q", false}, {"", "r", true}, {string(want), "", true}, {"", string(want), false}} {
		if got := r.In(&Partition{Lower: []byte(x.lower), Upper: []byte(x.upper)}); got != x.in {
			t.Errorf("from %q to %q: %v", x.lower, x.upper, got)
		}
	}
	if r.In(&Partition{Buckets: []int32{0}}) {
		t.Error("in a bucket, without hashes")
	}
	// as the primary key has them
	if p := mustPartition(t, msg{}, s).NewRouter(); p.Route(key) != nil || !bytes.Equal(p.rang, key) || !p.whole {
		t.Errorf("%q", p.rang)
	}
	if p := mustPartition(t, msg{}.sub(2, ranged(12)), s).NewRouter(); p.Route(key) != nil || string(p.rang) != "a\x00z" {
		t.Errorf("%q", p.rang)
	}
}

// rowOf is a bound of a range, as a row operation of three's schema.
func rowOf(typ byte, a string, indirect *[]byte, b, c *int32) []byte {
	set := byte(0)
	var cells []byte
	if a != "" {
		set |= 1
		cells = binary.LittleEndian.AppendUint64(cells, uint64(len(*indirect)))
		cells = binary.LittleEndian.AppendUint64(cells, uint64(len(a)))
		*indirect = append(*indirect, a...)
	}
	for i, v := range []*int32{b, c} {
		if v != nil {
			set |= 2 << i
			cells = binary.LittleEndian.AppendUint32(cells, uint32(*v))
		}
	}
	return append([]byte{typ, set}, cells...)
}

func rangeOf(rows, indirect []byte, hash ...msg) msg {
	m := msg{}.sub(1, msg{}.str(2, string(rows)).str(3, string(indirect)))
	for _, h := range hash {
		m = m.sub(2, h)
	}
	return m
}

// Ranges with hashes of their own: rows in them go by these, others by the table's.
func TestRangesWithHashes(t *testing.T) {
	s := three(t)
	var indirect []byte
	five, ten := int32(5), int32(10)
	first := rangeOf(append(rowOf(6, "", &indirect, &five, nil), rowOf(7, "", &indirect, &ten, nil)...), indirect, dimension(5, 0, 12))
	second := rangeOf(append(rowOf(6, "m", &indirect, &ten, nil), rowOf(7, "", &indirect, nil, nil)...), indirect)
	m := msg{}.sub(1, dimension(2, 0, 12, 11)).sub(2, ranged(11, 10)).sub(5, rangeOf(append(rowOf(6, "", &indirect, &ten, &five), rowOf(7, "", &indirect, nil, nil)...), indirect)).sub(5, first)
	p := mustPartition(t, m, s)
	if len(p.Ranges) != 2 || len(p.Ranges[0].Hash) != 1 || p.Ranges[0].Hash[0].Buckets != 5 || len(p.Ranges[1].Hash) != 0 {
		t.Fatalf("%+v", p.Ranges)
	}
	// An unset date is the first day of the year 1.
	day := int32(leastDate)
	lower := append([]byte{0x80, 0, 0, 5}, binary.BigEndian.AppendUint32(nil, uint32(day)^1<<31)...)
	if !bytes.Equal(p.Ranges[0].Lower, lower) || len(p.Ranges[1].Upper) != 0 {
		t.Errorf("%x, want %x", p.Ranges[0].Lower, lower)
	}
	r := p.NewRouter()
	in := func(b, c int32, x Partition) bool {
		t.Helper()
		if err := r.Route(keyOf(t, "k", b, c)); err != nil {
			t.Fatal(err)
		}
		return r.In(&x)
	}
	for _, c := range []struct {
		b, c    int32
		buckets int
	}{{4, 0, 2}, {5, 0, 5}, {9, 1 << 20, 5}, {10, 4, 2}, {10, 5, 0}, {99, 0, 0}} {
		for n := range 6 {
			hits := 0
			for i := range n {
				if in(c.b, c.c, Partition{Buckets: []int32{int32(i)}}) {
					hits++
				}
			}
			if want := map[bool]int{true: 1}[n >= c.buckets && c.buckets > 0]; hits > 1 || n >= 5 && hits != want {
				t.Errorf("(%d, %d): %d of %d buckets", c.b, c.c, hits, n)
			}
		}
		if got := in(c.b, c.c, Partition{}); got != (c.buckets == 0) {
			t.Errorf("(%d, %d) without buckets: %v", c.b, c.c, got)
		}
	}
	for name, m := range map[string]msg{
		"overlapping":            m.sub(5, first),
		"of columns that are no": msg{}.sub(2, ranged(11)).sub(5, second).sub(5, rangeOf([]byte{9}, nil)),
	} {
		if _, err := ParsePartitioning(m, s, noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPartitioningHostile(t *testing.T) {
	s := three(t)
	five := int32(5)
	bounds := func(types ...byte) msg {
		var rows []byte
		for _, typ := range types {
			rows = append(rows, rowOf(typ, "", nil, &five, nil)...)
		}
		return msg{}.sub(2, ranged(11)).sub(5, rangeOf(rows, nil))
	}
	for name, m := range map[string]msg{
		"a column of no id":        msg{}.sub(1, dimension(2, 0, 99)),
		"a column that is no key":  msg{}.sub(1, dimension(2, 0, 9)),
		"a column twice":           msg{}.sub(1, dimension(2, 0, 12, 12)),
		"a column of two hashes":   msg{}.sub(1, dimension(2, 0, 12)).sub(1, dimension(3, 0, 12, 11)),
		"one bucket":               msg{}.sub(1, dimension(1, 0, 12)),
		"buckets below zero":       msg{}.sub(1, dimension(-2, 0, 12)),
		"a hash of nothing":        msg{}.sub(1, dimension(2, 0)),
		"a range of no key":        msg{}.sub(2, ranged(9)),
		"a column that is none":    msg{}.sub(2, msg{}.sub(1, msg{})),
		"no message":               msg{}.num(1, 4),
		"cut":                      {0x0a, 9},
		"no bounds":                bounds(),
		"one bound":                bounds(6),
		"bounds reversed":          bounds(7, 6),
		"bounds that are equal":    bounds(6, 7),
		"three bounds":             bounds(6, 7, 7),
		"bounds of another kind":   bounds(8, 7),
		"a row":                    bounds(1, 2),
		"a hash of a range of one": msg{}.sub(2, ranged(11)).sub(5, rangeOf(nil, nil, dimension(1, 0, 12))),
	} {
		if p, err := ParsePartitioning(m, s, noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	r := mustPartition(t, msg{}, s).NewRouter()
	key := keyOf(t, "k\x00", 1, 2)
	for n := range key {
		if err := r.Route(key[:n]); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	for _, bad := range [][]byte{append(key, 0), []byte("a\x00\x02\x00\x00"), []byte("a"), {0}, nil} {
		if err := r.Route(bad); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := r.Route(key); err != nil {
		t.Error(err)
	}
}

// FuzzPartitioning: what can be read puts every row into one bucket at most.
func FuzzPartitioning(f *testing.F) {
	var indirect []byte
	five := int32(5)
	f.Add([]byte(msg{}.sub(1, dimension(4, 7, 12, 10)).sub(2, ranged(10, 12))), []byte("abc"))
	f.Add([]byte(msg{}.sub(2, ranged(11)).sub(5, rangeOf(append(rowOf(6, "", &indirect, &five, nil), rowOf(7, "", &indirect, nil, nil)...), nil, dimension(3, 1, 12)))), []byte("a\x00"))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, b, text []byte) {
		p, err := ParsePartitioning(b, three(t), noLimits)
		if err != nil {
			checkKind(t, err)
			return
		}
		r := p.NewRouter()
		if err := r.Route(text); err != nil {
			checkKind(t, err)
		}
		if err := r.Route(keyOf(t, string(text), 5, int32(len(text)))); err != nil {
			t.Fatal(err)
		}
		n := 0
		if dims := p.dimensions(r.rang); len(dims) == 1 && dims[0].Buckets < 1000 {
			for i := range dims[0].Buckets {
				if r.In(&Partition{Buckets: []int32{i}}) {
					n++
				}
			}
			if n != 1 {
				t.Fatalf("%d buckets", n)
			}
		}
	})
}

func TestPartitionOfSuperBlock(t *testing.T) {
	s, err := ParseSuperBlock(realContainer(t, superBlockType, realSuperBlock), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePartitioning(s.Partitioning, s.Schema, noLimits)
	if err != nil || len(p.Hash) != 0 || !reflect.DeepEqual(p.Range, []int{0}) || len(p.Ranges) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	key := protowire.AppendFixed32(nil, 7)
	s = &SuperBlock{HashBuckets: []int32{1, 2}, PartitionStart: append([]byte{0, 0, 0, 1, 0, 0, 0, 2}, key...), PartitionEnd: []byte{0, 0, 0, 1, 0, 0, 0, 3}}
	if x := s.Partition(); !reflect.DeepEqual(x.Buckets, []int32{1, 2}) || !bytes.Equal(x.Lower, key) || len(x.Upper) != 0 {
		t.Errorf("%+v", x)
	}
	s.PartitionStart = []byte{0}
	if x := s.Partition(); len(x.Lower) != 0 {
		t.Errorf("%+v", x)
	}
}

// TestRealPartitions: each row belongs to the tablet that Kudu's client has put it into, and to no other.
func TestRealPartitions(t *testing.T) {
	s, err := ParseSchema(pb.New(schemaOf(
		column(0, "a", cfilewire.String, true), column(1, "b", cfilewire.Int32, true), column(2, "c", cfilewire.String, true), column(3, "d", cfilewire.Date, true),
		column(4, "v", cfilewire.Int64, false).num(5, 1),
	)), noLimits)
	if err != nil {
		t.Fatal(err)
	}
	p := mustPartition(t, unhex(t, realPartitions), s)
	if len(p.Hash) != 2 || p.Hash[0].Seed != 42 || len(p.Ranges) != 2 || p.Ranges[0].Hash[0].Seed != 7 {
		t.Fatalf("%+v", p)
	}
	r := p.NewRouter()
	for i, x := range realPlaces {
		if err := r.Route(unhex(t, x.key)); err != nil {
			t.Fatal(err)
		}
		for j, y := range realPlaces {
			if got := r.In(&Partition{Buckets: y.buckets[:], Lower: unhex(t, y.lower), Upper: unhex(t, y.upper)}); got != (i == j) {
				t.Errorf("row %d in tablet %d: %v", i, j, got)
			}
		}
	}
}
