package cfile

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// smallFiles are one of each kind and encoding, of few rows and many blocks.
func smallFiles(t testing.TB) (out []*built) {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	for i, x := range []struct {
		typ      cfilewire.DataType
		encoding cfilewire.Encoding
	}{
		{cfilewire.Int8, cfilewire.EncodingPlain},
		{cfilewire.Int32, cfilewire.EncodingRLE},
		{cfilewire.Int64, cfilewire.EncodingBitShuffle},
		{cfilewire.Bool, cfilewire.EncodingPlain},
		{cfilewire.Bool, cfilewire.EncodingRLE},
		{cfilewire.String, cfilewire.EncodingPlain},
		{cfilewire.Binary, cfilewire.EncodingPrefix},
		{cfilewire.Binary, cfilewire.EncodingDict},
		{cfilewire.UInt32, cfilewire.EncodingGroupVarint},
		{cfilewire.Decimal64, cfilewire.EncodingRLE},
		{cfilewire.Decimal128, cfilewire.EncodingPlain},
	} {
		f := &built{typ: x.typ, encoding: x.encoding, perBlock: 9, fanout: 2}
		switch {
		case i%2 == 0:
			f.nullable = true
			f.rows = cellsOf(r, x.typ, 20, patterns[2].null)
		case x.typ.IsKey():
			f.keyed, f.rows = true, ascending(r, x.typ, 20)
		default:
			f.rows = cellsOf(r, x.typ, 20, nil)
		}
		if x.encoding == cfilewire.EncodingDict {
			f.dictMost = 12
		}
		out = append(out, f)
	}
	arrays := &built{typ: cfilewire.Int16, encoding: cfilewire.EncodingPlain, nullable: true, perBlock: 9, arrays: arraysOf(r, cfilewire.Int16, 20, patterns[2].null)}
	keys := newKeyTable(t, r, []cfilewire.DataType{cfilewire.Int16, cfilewire.String, cfilewire.Decimal32}, 20).f
	keys.perBlock, keys.compression = 6, 0
	deltas := deltaFile(changes(r, 20), cfilewire.EncodingPlain)
	deltas.perBlock, deltas.compression = 9, 0
	bloom := bloomFile(ascending(r, cfilewire.Binary, 20), 11)
	return append(out, arrays, keys, deltas, bloom)
}

// A file that is cut anywhere is refused.
func TestTruncated(t *testing.T) {
	for _, f := range smallFiles(t) {
		b := f.build(t)
		for n := range b {
			if err := exercise(t, b[:n:n], Options{}); err == nil {
				t.Errorf("%v: %d bytes of %d will do", f, n, len(b))
			}
		}
	}
}

// A flip anywhere is noticed by whoever reads what it is in; nobody else is disturbed.
func TestFlips(t *testing.T) {
	for i, f := range smallFiles(t) {
		if i%2 == 1 {
			f.compression = cfilewire.Zlib
		}
		b := f.build(t)
		for at := range b {
			if at%3 != i%3 {
				continue
			}
			c := slices.Clone(b)
			c[at] ^= 1 << (at / 3 % 8)
			err := exercise(t, c, Options{})
			unread := slices.ContainsFunc(f.val, func(p cfilewire.BlockPointer) bool { return int64(at) >= p.Off && int64(at) < p.End() })
			if err == nil && (!unread || f.noRows) {
				t.Errorf("%v: byte %d of %d: nobody notices", f, at, len(b))
			}
		}
	}
}

// Bytes of blocks may be anything, and have the right checksum: what comes of it is rows or an error.
func TestBytesOfBlocks(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, f := range smallFiles(t) {
		b := f.build(t)
		for _, p := range slices.Concat(f.data, f.pos, f.val, f.dict) {
			for at := p.Off; at < p.End()-4; at += 1 + r.Int63n(4) {
				values := []byte{0, 1, 0x7f, 0x80, 0xff, b[at] + 1, b[at] - 1, byte(r.Intn(256))}
				for _, v := range values[r.Intn(8):][:1] {
					c := slices.Clone(b)
					c[at] = v
					reseal(c, p)
					err := exercise(t, c, Options{})
					if t.Failed() {
						t.Fatalf("%v: byte %d of %d, at %d of %v, is %02x: %v", f, at, len(b), at-p.Off, p, v, err)
					}
				}
			}
		}
	}
}

// limits are numbers at which something may break.
var limits = []uint64{
	0, 1, 2, 3, 7, 8, 19, 20, 21, 99, 127, 128, 1000, math.MaxUint16, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1,
	math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64,
}

// Fields of the footer may be anything.
func TestFooterFields(t *testing.T) {
	for _, f := range smallFiles(t) {
		var fields []builtField
		f.onFooter = func(m *[]builtField) { fields = *m }
		b := f.build(t)
		try := func(m []builtField) {
			err := exercise(t, f.refooter(b, footerMessage(m)), Options{})
			if t.Failed() {
				t.Fatalf("%v: %v: %v", f, m, err)
			}
		}
		for i, x := range fields {
			try(slices.Delete(slices.Clone(fields), i, i+1))
			try(append(slices.Clone(fields), x))
			replaced := func(y builtField) {
				m := slices.Clone(fields)
				m[i] = y
				try(m)
			}
			for _, v := range limits {
				replaced(builtField{num: x.num, value: v})
				if x.num == 4 || x.num == 5 || x.num == 9 {
					p := f.data[0]
					for _, q := range [][]byte{pointerOf(v, uint64(p.Size)), pointerOf(uint64(p.Off), v), pointerOf(v, v)} {
						if x.num != 9 {
							q = append([]byte{10, byte(len(q))}, q...)
						}
						replaced(builtField{num: x.num, bytes: q})
					}
				}
			}
			replaced(builtField{num: x.num, bytes: []byte("text")})
			for k := range len(x.bytes) {
				for _, v := range []byte{0, 0xff, x.bytes[k] ^ 1} {
					y := slices.Clone(x.bytes)
					y[k] = v
					replaced(builtField{num: x.num, bytes: y})
				}
			}
		}
	}
}

func pointerOf(off, size uint64) []byte {
	b := []byte{8}
	b = appendVarint(b, off)
	return appendVarint(append(b, 16), size)
}

func appendVarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// Entries of an index may lead anywhere.
func TestIndexPointers(t *testing.T) {
	base := func() *built {
		f := numbered(60)
		f.perBlock, f.fanout, f.deep = 5, 3, 1
		return f
	}
	first := base()
	size := int64(len(first.build(t)))
	n := 0
	for _, what := range []string{"pos", "val"} {
		inner := first.pos
		if what == "val" {
			inner = first.val
		}
		var targets []cfilewire.BlockPointer
		targets = append(targets, slices.Concat(first.data[:2], first.pos, first.val)...)
		for _, v := range []int64{0, 15, 16, 17, first.footer - 1, first.footer, size, math.MaxInt32, math.MaxInt64, math.MaxInt64 - 3} {
			targets = append(targets, cfilewire.BlockPointer{Off: v, Size: 30}, cfilewire.BlockPointer{Off: 16, Size: int32(min(v, math.MaxInt32))})
		}
		for _, to := range targets {
			for at := 0; at < 2*len(inner); at += 1 + at%3 {
				f := base()
				k := 0
				f.onEntry = func(w string, e *builtEntry) {
					if w == what {
						if k == at {
							e.ptr = to
						}
						k++
					}
				}
				n++
				within(t, func() {
					err := exercise(t, f.build(t), Options{})
					if err == nil && what == "pos" && !slices.Contains(first.data, to) && !slices.Contains(first.pos, to) {
						t.Errorf("%v: nobody notices", to)
					}
				})
			}
		}
	}
	// Blocks that lead to themselves, to one another, and too deep.
	for _, deep := range []int{31, 32, 40} {
		f := numbered(3)
		f.deep = deep
		err := exercise(t, f.build(t), Options{})
		if (err == nil) != (deep == 31) {
			t.Errorf("%d levels: %v", deep+1, err)
		}
	}
	for _, x := range []struct{ at, to int }{{1, 1}, {2, 2}, {1, 2}} {
		f := numbered(3)
		f.deep = 2
		f.build(t)
		to := f.pos[x.to]
		k := 0
		f.onEntry = func(what string, e *builtEntry) { // one in each of three blocks
			if what == "pos" {
				if k == x.at {
					e.ptr = to
				}
				k++
			}
		}
		if err := exercise(t, f.build(t), Options{}); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%v: a cycle: %v", x, err)
		}
	}
}

// What a block or an index says of rows is held against what the others say.
func TestCounts(t *testing.T) {
	for name, change := range map[string]func(f *built){
		"an ordinal":            func(f *built) { patchBlock(f, 4, 1) },
		"a count":               func(f *built) { patchBlock(f, 0, 5) },
		"rows in the footer":    func(f *built) { f.onFooter = func(m *[]builtField) { (*m)[2].value++ } },
		"fewer in the footer":   func(f *built) { f.onFooter = func(m *[]builtField) { (*m)[2].value-- } },
		"none in the footer":    func(f *built) { f.onFooter = func(m *[]builtField) { (*m)[2].value = 0 } },
		"ordinals in the index": func(f *built) { f.onEntry = func(_ string, e *builtEntry) { e.key[3]++ } },
		"one ordinal":           func(f *built) { f.onEntry = func(_ string, e *builtEntry) { e.key[3] |= 1 } },
		"short ordinals":        func(f *built) { f.onEntry = func(_ string, e *builtEntry) { e.key = e.key[:3] } },
		"long ordinals":         func(f *built) { f.onEntry = func(_ string, e *builtEntry) { e.key = append(e.key, 0) } },
		"no entries":            func(f *built) { f.onIndex = func(string, []byte) []byte { return []byte{8, 0, 16, 0, 4, 0, 0, 0} } },
		"a value too many":      func(f *built) { f.onBlock = func(_ int, b []byte) []byte { return append(b, make([]byte, 8)...) } },
		"an empty block":        func(f *built) { f.onBlock = func(k int, _ []byte) []byte { return le32(nil, 0, uint32(10*k)) } },
	} {
		f := numbered(40)
		f.perBlock, f.keyed = 10, false
		change(f)
		err := exercise(t, f.build(t), Options{})
		if err == nil {
			t.Errorf("%s: nobody notices", name)
		}
	}
	// Nulls, elements and values that do not fit one another.
	r := rand.New(rand.NewSource(1))
	short := func(rows [][]byte) []byte { return append(runs(present(rows), 1), 0) }
	for name, raw := range map[string]func(w *file) []byte{
		"more values than bits": func(w *file) []byte {
			return append(nullHead(20, short(w.rows)), w.encode(0, append(dense(w.rows), w.rows[0]))...)
		},
		"fewer values than bits": func(w *file) []byte { return append(nullHead(20, short(w.rows)), w.encode(0, dense(w.rows)[1:])...) },
		"more rows":              func(w *file) []byte { return append(nullHead(21, short(w.rows)), w.encode(0, dense(w.rows))...) },
		"fewer rows":             func(w *file) []byte { return append(nullHead(19, short(w.rows)), w.encode(0, dense(w.rows))...) },
		"fewer bits": func(w *file) []byte {
			return append(nullHead(20, runs(present(w.rows[:9]), 1)), w.encode(0, dense(w.rows))...)
		},
	} {
		for _, encoding := range []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingRLE, cfilewire.EncodingBitShuffle} {
			f := &built{typ: cfilewire.Int32, encoding: encoding, nullable: true, rows: cellsOf(r, cfilewire.Int32, 20, patterns[2].null)}
			f.rows[0] = []byte{1, 2, 3, 4}
			w := &file{built: f, tb: t}
			f.onBlock = func(int, []byte) []byte { return raw(w) }
			if err := exercise(t, f.build(t), Options{}); err == nil {
				t.Errorf("%s, %v: nobody notices", name, encoding)
			}
		}
	}
}

func nullHead(rows int, bitmap []byte) []byte {
	return append(appendVarint(appendVarint(nil, uint64(rows)), uint64(len(bitmap))), bitmap...)
}

// What a block of arrays says in one place is held against the others, too.
func TestArrayCounts(t *testing.T) {
	valid := func(n int) []byte { return runs(slices.Repeat([]uint64{1}, n), 1) }
	lengths := func(v ...uint64) []byte { return runs(v, 16) }
	block := func(elements, arrays uint64, parts ...[]byte) []byte {
		b := appendVarint(appendVarint(nil, elements), arrays)
		for _, p := range parts[:3] {
			b = append(appendVarint(b, uint64(len(p))), p...)
		}
		return append(b, parts[3]...)
	}
	values := func(n int) []byte { return append(le32(nil, uint32(n), 0), make([]byte, n)...) }
	for name, x := range map[string]struct {
		raw []byte
		ok  bool
	}{
		"well":                    {block(3, 2, valid(3), lengths(1, 2), valid(2), values(3)), true},
		"more elements":           {block(4, 2, valid(4), lengths(1, 2), valid(2), values(3)), false},
		"more values":             {block(4, 2, valid(4), lengths(1, 2), valid(2), values(4)), false},
		"null elements behind":    {block(4, 2, append(valid(3), 2, 0), lengths(1, 2), valid(2), values(3)), false},
		"longer arrays":           {block(3, 2, valid(3), lengths(2, 2), valid(2), values(3)), false},
		"fewer values":            {block(3, 2, valid(3), lengths(1, 2), valid(2), values(2)), false},
		"more values than places": {block(3, 2, valid(3), lengths(1, 2), valid(2), values(9)), false},
		"other arrays":            {block(3, 3, valid(3), lengths(1, 2, 0), valid(3), values(3)), false},
		"fewer lengths":           {block(3, 2, valid(3), lengths(3), valid(2), values(3)), false},
		"a null array":            {block(3, 2, valid(3), lengths(1, 2), []byte{4, 0}, values(3)), false},
	} {
		f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, arrays: make([][][]byte, 2)}
		f.onBlock = func(int, []byte) []byte { return x.raw }
		err := exercise(t, f.build(t), Options{})
		if (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The dictionary may be missing, be something else, or have too few words; a word may be as long as the limits let it.
func TestDictionaries(t *testing.T) {
	base := func() *built {
		return &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingDict, rows: [][]byte{[]byte("a"), []byte("bc"), {}, []byte("a")}}
	}
	for name, change := range map[string]func(f *built){
		"is missing": func(f *built) {
			f.onFooter = func(m *[]builtField) { *m = slices.DeleteFunc(*m, func(x builtField) bool { return x.num == 9 }) }
		},
		"is a data block": func(f *built) {
			f.onFooter = func(m *[]builtField) {
				for i := range *m {
					if (*m)[i].num == 9 {
						(*m)[i].bytes = pointer(f.data[0])
					}
				}
			}
		},
		"has too few words": func(f *built) {
			f.onStored = func(what string, b []byte) []byte {
				if what == "dict" {
					return plainStrings(0, [][]byte{[]byte("a"), []byte("b")})
				}
				return b
			}
		},
		"has none": func(f *built) {
			f.onStored = func(what string, b []byte) []byte {
				if what == "dict" {
					return plainStrings(0, nil)
				}
				return b
			}
		},
		"codes below none": func(f *built) {
			f.onBlock = func(int, []byte) []byte { return append(le32(nil, 1), shuffled8(le32(nil, 0, 0, 0, 1<<31), 4, 0)...) }
		},
		"codes of another width": func(f *built) {
			f.onBlock = func(int, []byte) []byte { return append(le32(nil, 1), shuffled8(make([]byte, 32), 8, 0)...) }
		},
		"is too large": func(f *built) { f.rows = append(f.rows, make([]byte, 2<<20)); f.compression = cfilewire.LZ4 },
	} {
		f := base()
		change(f)
		if err := exercise(t, f.build(t), Options{}); err == nil {
			t.Errorf("the dictionary %s: nobody notices", name)
		}
	}
	// Where no row has a word, the dictionary is nobody's business.
	f := base()
	f.rows, f.nullable = make([][]byte, 30), true
	if err := exercise(t, f.build(t), Options{}); err != nil {
		t.Error(err)
	}
}

// Few bytes may stand for much: it is read as far as the caller wants it, or refused, and takes no more than it should.
func TestBombs(t *testing.T) {
	const billion = 1_000_000_000
	run := func(n uint64, value ...byte) []byte { return append(appendVarint(nil, n<<1), value...) }
	elements := func(n uint64, lengths, values []byte) []byte {
		bits := run(n, 1)
		b := appendVarint(appendVarint(nil, n), 60_000)
		for _, p := range [][]byte{bits, lengths, run(60_000, 1)} {
			b = append(appendVarint(b, uint64(len(p))), p...)
		}
		return append(b, values...)
	}
	for name, x := range map[string]struct {
		f    *built
		rows uint64
		raw  []byte
	}{
		"nulls":           {&built{typ: cfilewire.Int64, encoding: cfilewire.EncodingPlain, nullable: true}, math.MaxInt32, append(nullHead(math.MaxInt32, run(math.MaxInt32, 0)), le32(nil, 0, 0)...)},
		"too many nulls":  {&built{typ: cfilewire.Int64, encoding: cfilewire.EncodingPlain, nullable: true}, math.MaxUint32, append(nullHead(math.MaxUint32, run(math.MaxUint32, 0)), le32(nil, 0, 0)...)},
		"null strings":    {&built{typ: cfilewire.String, encoding: cfilewire.EncodingDict, nullable: true}, billion, append(nullHead(billion, run(billion, 0)), append(le32(nil, 2), plainStrings(0, nil)...)...)},
		"runs":            {&built{typ: cfilewire.Int64, encoding: cfilewire.EncodingRLE}, billion, append(le32(nil, billion, 0), run(billion, 1, 2, 3, 4, 5, 6, 7, 8)...)},
		"runs of bits":    {&built{typ: cfilewire.Bool, encoding: cfilewire.EncodingRLE}, math.MaxInt32, append(le32(nil, math.MaxInt32, 0), run(math.MaxInt32, 1)...)},
		"runs of nothing": {&built{typ: cfilewire.Int8, encoding: cfilewire.EncodingRLE}, billion, append(le32(nil, billion, 0), make([]byte, 1<<20)...)},
		"arrays": {
			&built{typ: cfilewire.Int64, encoding: cfilewire.EncodingRLE, arrays: make([][][]byte, 1)}, 60_000,
			elements(30_000*60_000, run(60_000, 0x30, 0x75), append(le32(nil, 30_000*60_000, 0), run(30_000*60_000, 1, 0, 0, 0, 0, 0, 0, 0)...)),
		},
	} {
		for _, codec := range []cfilewire.Compression{cfilewire.NoCompression, cfilewire.Zlib} {
			f := x.f
			f.compression = codec
			if f.arrays == nil {
				f.rows = make([][]byte, 1)
				if !f.nullable {
					f.rows[0] = make([]byte, f.typ.Width())
				}
			}
			f.onBlock = func(int, []byte) []byte { return x.raw }
			f.onFooter = func(m *[]builtField) { (*m)[2].value = x.rows }
			t.Run(name, func(t *testing.T) {
				b := f.build(t)
				within(t, func() { exercise(t, b, Options{}) })
				within(t, func() {
					file, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
					if err != nil {
						t.Fatal(err)
					}
					exerciseEnds(t, file)
				})
			})
		}
	}
}

// Sizes before compression are held against the limits, and against what the codec can do, before memory is taken.
func TestSizes(t *testing.T) {
	for _, codec := range []cfilewire.Compression{cfilewire.Snappy, cfilewire.LZ4, cfilewire.Zlib} {
		for version := 1; version <= 2; version++ {
			for _, size := range limits[:18] {
				f := numbered(300)
				f.compression, f.version, f.keyed = codec, version, false
				f.onStored = func(what string, b []byte) []byte {
					if what == "data" {
						copy(b[4*(2-version):], le32(nil, uint32(size)))
						if version == 1 {
							copy(b[4:], le32(nil, uint32(size)))
							copy(b, le32(nil, uint32(len(b)-8)))
						}
					}
					return b
				}
				b := f.build(t)
				within(t, func() {
					_, err := readDamaged(b, Options{}, memory.NewGoAllocator(), 1000)
					if err == nil {
						t.Errorf("%v: %d bytes: nobody notices", codec, size)
					} else {
						checkError(t, err)
					}
				})
			}
		}
	}
	// Strings that share what they begin with.
	words := slices.Repeat([][]byte{make([]byte, 100_000)}, 5000)
	f := &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingPrefix, rows: make([][]byte, 5000), perBlock: 5000}
	f.onBlock = func(int, []byte) []byte { return prefixes(0, words, 5000) }
	for i := range f.rows {
		f.rows[i] = []byte{}
	}
	shared := f.build(t)
	within(t, func() {
		_, err := readDamaged(shared, Options{}, memory.NewGoAllocator(), 1000)
		if !errors.Is(err, errs.ErrLimit) {
			t.Error(err)
		}
	})
	// Words that are long, and many codes of them: fewer rows make a batch.
	f = &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingDict, rows: slices.Repeat([][]byte{make([]byte, 100_000)}, 5000), perBlock: 5000}
	long := f.build(t)
	within(t, func() {
		file, err := Open(context.Background(), local.NewBytesSource(long), arrowio.Limits{BatchBytes: 20 << 20}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := arrowio.Scan(context.Background(), file, arrowio.ScanOptions{Parallelism: 1, Rows: arrowio.RowRange{End: 300}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Release()
		rows := int64(0)
		for s.Next() {
			rows += s.Record().NumRows()
			if err := conformance.ValidateRecord(s.Record()); err != nil {
				t.Error(err)
			}
		}
		if s.Err() != nil || rows != 300 {
			t.Errorf("%d rows: %v", rows, s.Err())
		}
	})
}
