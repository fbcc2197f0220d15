package cfile

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// faultsOf returns what a check says of a file.
func faultsOf(t testing.TB, check func(report func(error)) error) []*errs.Error {
	t.Helper()
	var out []*errs.Error
	err := check(func(err error) {
		checkError(t, err)
		var e *errs.Error
		if errors.As(err, &e) {
			if e.Off < 0 || e.Op == "" {
				t.Errorf("nowhere: %v", err)
			}
			out = append(out, e)
		}
	})
	if err != nil {
		t.Error(err)
	}
	return out
}

func faults(t testing.TB, f *File) []*errs.Error {
	t.Helper()
	return faultsOf(t, func(report func(error)) error { return f.Verify(context.Background(), report) })
}

func openFixture(t testing.TB, x fixture) *File {
	t.Helper()
	f, err := x.open(context.Background(), local.NewBytesSource(fixtures.Read(t, testdata+x.File)))
	if err != nil {
		t.Fatalf("%s: %v", x.File, err)
	}
	return f
}

func openReader(t testing.TB, b []byte) *Reader {
	t.Helper()
	f, err := OpenReader(context.Background(), local.NewBytesSource(b), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What Kudu writes is as it says.
func TestVerifyFixtures(t *testing.T) {
	for _, x := range manifest(t) {
		for _, e := range faults(t, openFixture(t, x)) {
			t.Errorf("%s: %v", x.name(), e)
		}
	}
}

// So is what is written from the description, in every type and encoding.
func TestVerifyTypes(t *testing.T) {
	variants(150, func(_ int, name string, f *built) {
		if f.typ.Decimal() > 0 {
			return // of any number of digits
		}
		for _, e := range faults(t, openBuilt(t, f, Options{StringsBinary: true})) {
			t.Errorf("%s: %v", name, e)
		}
	})
	r := rand.New(rand.NewSource(1))
	for _, typ := range []cfilewire.DataType{cfilewire.Int8, cfilewire.UInt32, cfilewire.Int64, cfilewire.Decimal128, cfilewire.Binary} {
		for _, way := range ways {
			f := way
			f.typ, f.encoding, f.keyed = typ, cfilewire.EncodingPlain, true
			f.rows = ascending(r, typ, 250)
			for _, e := range faults(t, openBuilt(t, &f, Options{})) {
				t.Errorf("key %v: %v", &f, e)
			}
		}
	}
}

// What is damaged is found, wherever it is; dumps and descriptions go on.
func TestVerifyDamaged(t *testing.T) {
	for _, x := range damagedFiles(t) {
		b := fixtures.Read(t, damage+x.File)
		t.Run(x.File, func(t *testing.T) {
			f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
			if err != nil {
				checkError(t, err)
				return
			}
			within(t, func() {
				if found := faults(t, f); len(found) == 0 && x.Expect == "error" {
					t.Errorf("%s: nobody notices", x.Damage)
				} else if len(found) > 0 && x.Expect == "rows" && x.File != "codec-99.cfile" { // which is wrong, but can be read
					t.Errorf("%s: %v", x.Damage, found)
				}
				dumpOf(t, f)
				if _, err := f.Info(context.Background(), arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// numberKeys is a key column of three blocks with an index of two levels.
func numberKeys() *built {
	f := &built{typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, keyed: true, perBlock: 4, fanout: 2}
	for i := range 10 {
		f.rows = append(f.rows, binary.LittleEndian.AppendUint32(nil, uint32(i*1000)))
	}
	return f
}

// setByte sets a byte of block k once it is written.
func setByte(f *built, k, at int, b byte) {
	f.onBlock = func(i int, raw []byte) []byte {
		if i == k {
			raw[at] = b
		}
		return raw
	}
}

// Each thing that a file says is compared: with one of them changed there is that fault, and no other.
func TestVerifyFindsWhatWasChanged(t *testing.T) {
	const int32s = 8 // where the values of a PLAIN block begin
	for _, x := range []struct {
		name  string
		file  func() *built
		wants []string // one of each fault
	}{
		{"nothing", numberKeys, nil},
		{"a key out of order", func() *built {
			f := numberKeys()
			setByte(f, 1, int32s+4+1, 0xff) // 5000 becomes 65416
			return f
		}, []string{"block at 44: the key of row 6, 80001770, is not above the one before, 8000ff88"}},
		{"a first key below that of the index", func() *built {
			f := numberKeys()
			setByte(f, 1, int32s+1, 0x0c) // 4000 becomes 3232, which is above 3000, and below 800f
			return f
		}, []string{"the key of the index, 80000f, is above the first of the block, 80000ca0"}},
		{"a separator below the block before", func() *built {
			f := numberKeys()
			f.onEntry = func(what string, e *builtEntry) {
				if what == "val" && string(e.key) == "\x80\x00\x0f" {
					e.key = []byte{0x80, 0, 0x0b}
				}
			}
			return f
		}, []string{"the key of the index, 80000b, is not above the last of the block before, 80000bb8"}},
		{"the least key", func() *built {
			f := numberKeys()
			f.meta = []cfilewire.Pair{{Key: "min_key", Value: []byte{1}}}
			return f
		}, []string{"footer at 267: min_key is 01, it is 80000000"}},
		{"a value index that is not the positional one", func() *built {
			f := numberKeys()
			f.onEntry = func(what string, e *builtEntry) {
				if what == "val" && e.ptr.Off == 16 {
					e.ptr = cfilewire.BlockPointer{Off: 44, Size: 28}
				}
			}
			return f
		}, []string{"a block at 44 after one at 44", "entry 0 leads to 44"}},
		{"a key above what is below", func() *built {
			f := numberKeys()
			f.onEntry = func(what string, e *builtEntry) {
				if what == "pos" && e.ptr.Off > 92 && e.key[3] == 8 {
					e.key = []byte{0, 0, 0, 9}
				}
			}
			return f
		}, []string{"the first key is 00000008, by the block above it is 00000009"}},
		{"an ordinal", func() *built {
			f := numberKeys()
			setByte(f, 2, 4, 7)
			return f
		}, []string{"column value: block at 72: the block begins at row 7, by the index at 8"}},
		{"a row of the index", func() *built {
			f := numberKeys()
			f.onEntry = func(what string, e *builtEntry) {
				if what == "pos" && e.ptr.Off == 44 {
					e.key = []byte{0, 0, 0, 5}
				}
			}
			return f
		}, []string{"block at 16: a block of 4 rows, by the index it has 5", "block at 44: the block begins at row 4, by the index at 5"}},
		{"bytes behind the runs", func() *built {
			f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingRLE, rows: slices.Repeat([][]byte{{7}}, 50)}
			f.onBlock = func(_ int, raw []byte) []byte { return append(raw, 0) }
			return f
		}, []string{"block: 1 bytes behind the last run"}},
		{"a run too long", func() *built {
			f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingRLE, rows: slices.Repeat([][]byte{{7}}, 50)}
			setByte(f, 0, 8, 51<<1)
			return f
		}, []string{"block: a run of 51 values, where 50 are left"}},
		{"more groups than values", func() *built {
			f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingRLE, rows: [][]byte{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}}
			f.onBlock = func(_ int, raw []byte) []byte { raw[8] = 2<<1 | 1; return append(raw, make([]byte, 8)...) }
			return f
		}, []string{"block: a run of 2 groups of eight, where 8 values are left"}},
		{"a bitmap too long", func() *built {
			f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, nullable: true, rows: slices.Repeat([][]byte{nil}, 50)}
			setByte(f, 0, 2, 60<<1)
			return f
		}, []string{"null bitmap: a run of 60 values, where 50 are left"}},
		{"elements that are in no array", func() *built {
			f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, arrays: slices.Repeat([][][]byte{{{1}, {2}}}, 10)}
			// elements 20, arrays 10, bitmap (2 bytes), lengths (3 bytes): 10 times 2
			setByte(f, 0, 7, 1)
			return f
		}, []string{"column value: block at 16:"}},
		{"a dictionary that begins elsewhere", func() *built {
			f := &built{typ: cfilewire.String, encoding: cfilewire.EncodingDict, rows: [][]byte{[]byte("a"), []byte("b")}}
			f.onStored = func(what string, stored []byte) []byte {
				if what == "dict" {
					stored[0] = 3
				}
				return stored
			}
			return f
		}, []string{"dictionary at", "the dictionary begins at row 3"}},
		{"a compression that is not known", func() *built {
			f := numberKeys()
			f.onFooter = func(fields *[]builtField) { *fields = append(*fields, builtField{num: 6, value: 99}) }
			return f
		}, []string{"compression 99 is not known"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			found := faults(t, openBuilt(t, x.file(), Options{}))
			if x.name == "a dictionary that begins elsewhere" {
				if len(found) == 0 {
					t.Error("nobody notices")
				}
				for _, e := range found {
					if e.Op != "dictionary" {
						t.Errorf("%v", e)
					}
				}
				return
			}
			if len(found) != len(x.wants) {
				t.Errorf("%d faults: %v", len(found), found)
			}
			for i := range min(len(found), len(x.wants)) {
				if !strings.Contains(found[i].Error(), x.wants[i]) {
					t.Errorf("%v\nwant %s", found[i], x.wants[i])
				}
			}
		})
	}
}

// Magics of two versions at the two ends.
func TestVerifyVersions(t *testing.T) {
	f := numberKeys()
	b := f.build(t)
	at := len(b) - cfilewire.TailSize
	copy(b[at:], cfilewire.MagicV1)
	f.resealFooter(b)
	file, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found := faults(t, file); len(found) != 1 || !strings.Contains(found[0].Error(), `the magic is "kuducfil", that of the header is "kuducfl2"`) {
		t.Error(found)
	}
}

// Bytes that no index leads to are found, and one bad checksum does not hide another.
func TestVerifyGapsAndChecksums(t *testing.T) {
	f := numberKeys()
	b := f.build(t)
	b[f.data[0].Off+9] ^= 1
	b[f.data[2].Off+9] ^= 1
	file, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := faults(t, file)
	if len(found) != 2 || found[0].Off != f.data[0].Off || found[1].Off != f.data[2].Off || !strings.Contains(found[0].Error(), "checksum") {
		t.Error(found)
	}
	g := numberKeys()
	g.keyed = false
	g.onEntry = func(what string, e *builtEntry) { // the first block is left out
		if what == "pos" && e.ptr.Off == 44 {
			e.ptr.Off, e.ptr.Size = 44+28, 28
		}
	}
	found = faults(t, openBuilt(t, g, Options{}))
	if len(found) < 2 || !strings.Contains(found[0].Error(), "blocks at 44: 28 bytes belong to no block") {
		t.Error(found)
	}
}

// deltasOf is a delta file of changes, keys and all.
func deltasOf(values [][]byte, stats []byte) *built {
	f := &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingPlain, rows: values, keyed: true, noRows: true, perBlock: 2}
	f.keys = func(row int) []byte {
		_, change, err := cfilewire.ParseDeltaKey(values[row])
		if err != nil {
			return nil
		}
		return values[row][:len(values[row])-len(change)]
	}
	f.onEntry = func(_ string, e *builtEntry) { // whole keys
		for i := 0; i < len(values); i += 2 {
			if k := f.keys(i); e.ptr.Size > 0 && strings.HasPrefix(string(k), string(e.key)) {
				e.key = k
				return
			}
		}
	}
	f.meta = []cfilewire.Pair{{Key: cfilewire.MetaDeltaStats, Value: stats}}
	return f
}

// oneDelta is a change: the key in varints of one byte, as rows and times up to 240 have it.
func oneDelta(row, time byte, change ...byte) []byte { return append([]byte{row, time}, change...) }

// statsMessage is DeltaStatsPB; updates are pairs of column id and number.
func statsMessage(deletes, reinserts, least, greatest uint64, updates ...uint64) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), deletes)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 3, protowire.Fixed64Type), least)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 4, protowire.Fixed64Type), greatest)
	for i := 0; i+1 < len(updates); i += 2 {
		u := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), updates[i])
		u = protowire.AppendVarint(protowire.AppendTag(u, 2, protowire.VarintType), updates[i+1])
		b = protowire.AppendBytes(protowire.AppendTag(b, 5, protowire.BytesType), u)
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 6, protowire.VarintType), reinserts)
}

func TestVerifyDeltas(t *testing.T) {
	set := []byte{1, 5, 2, 9} // update: column id 5 is 09
	changes := func() [][]byte {
		return [][]byte{oneDelta(1, 10, set...), oneDelta(1, 20, 2), oneDelta(2, 15, 3, 5, 0), oneDelta(7, 9, set...), oneDelta(7, 30, set...)}
	}
	good := statsMessage(1, 1, 9, 30, 5, 4)
	for _, x := range []struct {
		name    string
		values  [][]byte
		stats   []byte
		options CheckOptions
		wants   []string
	}{
		{"nothing", changes(), good, CheckOptions{}, nil},
		{"forward", changes(), good, CheckOptions{Order: Forward, Rows: 8}, nil},
		{"backward", changes(), good, CheckOptions{Order: Backward}, []string{"row 1: a change at 20 follows one at 10", "row 7: a change at 30 follows one at 9"}},
		{"rows", changes(), good, CheckOptions{Rows: 7}, []string{"delta 1 of the block", "a change of row 7 of 7"}},
		{"deletes", changes(), statsMessage(2, 1, 9, 30, 5, 4), CheckOptions{}, []string{"number of deletes is 2, it is 1"}},
		{"reinserts", changes(), statsMessage(1, 0, 9, 30, 5, 4), CheckOptions{}, []string{"number of reinserts is 0, it is 1"}},
		{"least", changes(), statsMessage(1, 1, 10, 30, 5, 4), CheckOptions{}, []string{"least time is 10, it is 9"}},
		{"greatest", changes(), statsMessage(1, 1, 9, 31, 5, 4), CheckOptions{}, []string{"greatest time is 31, it is 30"}},
		{"updates", changes(), statsMessage(1, 1, 9, 30, 5, 5), CheckOptions{}, []string{"updates of column id 5 is 5, it is 4"}},
		{"no updates", changes(), statsMessage(1, 1, 9, 30), CheckOptions{}, []string{"updates of columns such as id 5 is 0, it is 4"}},
		{"twice", changes(), statsMessage(1, 1, 9, 30, 5, 4, 5, 4), CheckOptions{}, []string{"column id 5 is there twice", "is 4, it is 0"}},
		{"both ways", [][]byte{oneDelta(1, 10, 2), oneDelta(1, 20, 2), oneDelta(2, 20, 2), oneDelta(2, 10, 2)}, statsMessage(4, 0, 10, 20), CheckOptions{}, []string{"row 2: a change at 10 follows one at 20"}},
		{"a change that is none", [][]byte{oneDelta(1, 10, 9)}, statsMessage(0, 0, 10, 10), CheckOptions{}, []string{"delta 0 of the block at 16: change 9"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := openReader(t, deltasOf(x.values, x.stats).build(t))
			found := faultsOf(t, func(report func(error)) error { return f.Check(context.Background(), x.options, report) })
			if x.name == "rows" {
				x.wants = []string{"a change of row 7 of 7", "a change of row 7 of 7"} // in either block
			}
			if len(found) != len(x.wants) {
				t.Errorf("%v", found)
			}
			for i := range min(len(found), len(x.wants)) {
				if !strings.Contains(found[i].Error(), x.wants[i]) {
					t.Errorf("%v\nwant %s", found[i], x.wants[i])
				}
			}
		})
	}
	// Cells are shown to whoever knows the columns.
	cells := 0
	f := openReader(t, deltasOf(changes(), good).build(t))
	found := faultsOf(t, func(report func(error)) error {
		return f.Check(context.Background(), CheckOptions{Cell: func(id int32, value []byte, null bool) error {
			if cells++; id != 5 || null != (cells == 2) || !null && string(value) != "\x09" {
				t.Errorf("cell %d: %d, %x, %t", cells, id, value, null)
			}
			return nil
		}}, report)
	})
	if cells != 4 || len(found) > 0 {
		t.Errorf("%d cells, %v", cells, found)
	}
	// An index that says something else.
	g := deltasOf(changes(), good)
	whole := g.onEntry
	g.onEntry = func(what string, e *builtEntry) {
		if whole(what, e); e.key[0] == 2 {
			e.key = []byte{2, 14}
		}
	}
	if found := faults(t, openBuilt(t, g, Options{})); len(found) != 1 || !strings.Contains(found[0].Error(), "the key of the index is 020e, the first of the block 020f") {
		t.Error(found)
	}
}

// Kudu's own deltas go one way or the other.
func TestVerifyDeltaOrder(t *testing.T) {
	for _, x := range manifest(t) {
		if !strings.HasPrefix(x.name(), "delta-") {
			continue
		}
		right, wrong := Forward, Backward
		if strings.Contains(x.name(), "undo") {
			right, wrong = Backward, Forward
		}
		f := openReader(t, fixtures.Read(t, testdata+x.File))
		for _, e := range faultsOf(t, func(report func(error)) error {
			return f.Check(context.Background(), CheckOptions{Order: right}, report)
		}) {
			t.Errorf("%s: %v", x.name(), e)
		}
		if twice := strings.Contains(x.name(), "twice") || strings.Contains(x.name(), "undo"); twice {
			n := 0
			if err := f.Check(context.Background(), CheckOptions{Order: wrong}, func(error) { n++ }); err != nil || n == 0 {
				t.Errorf("%s, the wrong way: %d faults, %v", x.name(), n, err)
			}
		}
	}
}

// Keys walks over all keys; filters are asked for each of them.
func TestKeysAndBloom(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewSource(3))
	keys := ascending(r, cfilewire.Binary, 500)
	column := &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingPrefix, rows: keys, keyed: true, noRows: true, perBlock: 70}
	f := openReader(t, column.build(t))
	k, err := f.NewKeys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		if !k.Next() || k.Row != int64(i) || string(k.Key) != string(keys[i]) {
			t.Fatalf("%d: %d, %x, %v", i, k.Row, k.Key, k.Err)
		}
	}
	if k.Next() || k.Err != nil {
		t.Error(k.Err)
	}
	check := func(bloom *Reader) []*errs.Error {
		return faultsOf(t, func(report func(error)) error { return CheckBloom(ctx, bloom, f, report) })
	}
	bloom := bloomFile(keys, 70)
	if found := check(openReader(t, bloom.build(t))); len(found) > 0 {
		t.Error(found)
	}
	b := bloom.build(t)
	clear(b[bloom.data[2].Off+6 : bloom.data[2].End()-4])
	reseal(b, bloom.data[2])
	if found := check(openReader(t, b)); len(found) != 1 || found[0].Off != bloom.data[2].Off || !strings.Contains(found[0].Error(), "the filter lacks 70 keys of 70") {
		t.Error(found)
	}
	if found := check(f); len(found) != 1 {
		t.Errorf("no filters: %v", found)
	}
	// Kudu's own.
	real := openReader(t, fixtures.Read(t, byKudu+"bloom.cfile"))
	f = openReader(t, fixtures.Read(t, byKudu+"key-int64.cfile"))
	if found := check(real); len(found) > 0 {
		t.Error(found)
	}
}

// brokenSource fails to read, from some time on.
type brokenSource struct {
	arrowio.Source
	left int // reads
}

var errBroken = errors.New("no route to disk")

func (s *brokenSource) ReadAt(p []byte, off int64) (int, error) {
	if s.left--; s.left < 0 {
		return 0, errBroken
	}
	return s.Source.ReadAt(p, off)
}

// Trouble with reading is an error of its own, never a fault of the file.
func TestShowReadErrors(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"key-int64", "delta-undo", "bloom", "key-index", "dict-overflow-nulls"} {
		b := fixtures.Read(t, byKudu+name+".cfile")
		for n := 0; ; n++ {
			src := &brokenSource{Source: local.NewBytesSource(b), left: 1 << 20}
			f, err := Open(ctx, src, arrowio.Limits{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			src.left = n
			v := f.Verify(ctx, func(err error) { t.Errorf("%s: a fault: %v", name, err) })
			src.left = n
			_, i := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true})
			src.left = n
			d := f.Dump(ctx, &strings.Builder{})
			for _, err := range []error{v, i, d} {
				if err != nil && !errors.Is(err, errBroken) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n == 0 && (v == nil || i == nil || d == nil) {
				t.Errorf("%s: %v, %v, %v", name, v, i, d)
			}
			if v == nil && i == nil && d == nil {
				break
			}
		}
		f := openReader(t, b)
		over, cancel := context.WithCancel(ctx)
		cancel()
		if err := f.Check(over, CheckOptions{}, func(err error) { t.Errorf("%s: a fault: %v", name, err) }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// showLimits keep what a made-up file may cost small.
var showLimits = arrowio.Limits{MetadataBytes: 1 << 20, BlockBytes: 1 << 20, DictionaryBytes: 1 << 20, BatchBytes: 1 << 24, BatchElements: 1 << 20}

// checkShown describes, dumps and verifies any bytes. What verify lets pass can be read.
func checkShown(t *testing.T, b []byte) {
	ctx := context.Background()
	f, err := Open(ctx, local.NewBytesSource(b), showLimits, Options{})
	if err != nil {
		checkError(t, err)
		return
	}
	if _, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
		checkError(t, err)
	}
	dumpOf(t, f)
	if f.footer.Values > 1<<16 {
		return
	}
	found := faults(t, f)
	if len(found) > 0 || f.kind == cfilewire.BloomFile {
		return
	}
	if _, err := textOf(f, memory.DefaultAllocator, 1000, 1<<16); err != nil && !errors.Is(err, errs.ErrLimit) && !errors.Is(err, errs.ErrSchema) {
		t.Errorf("verify finds nothing, but %v", err)
	}
}

// FuzzShow shows any bytes.
func FuzzShow(f *testing.F) {
	for _, p := range fixtures.Small(f, 1<<10, byKudu+"*.cfile", damage+"*.cfile") {
		f.Add(fixtures.Read(f, p))
	}
	for _, x := range []*built{numberKeys(), deltasOf([][]byte{oneDelta(1, 10, 2)}, statsMessage(1, 0, 10, 10))} {
		x.plainSums = true
		f.Add(x.build(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= 1<<16 {
			within(t, func() { checkShown(t, b) })
		}
	})
}

// Every byte changed, in files without checksums, so that what is behind them is reached; and every length.
func TestShowEveryByte(t *testing.T) {
	files := []*built{
		numberKeys(),
		deltasOf([][]byte{oneDelta(1, 10, 1, 5, 2, 9), oneDelta(1, 20, 2), oneDelta(2, 15, 3, 5, 0)}, statsMessage(1, 1, 10, 20, 5, 2)),
		bloomFile([][]byte{[]byte("a"), []byte("b")}, 1),
	}
	for _, e := range []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingPrefix, cfilewire.EncodingDict} {
		files = append(files, &built{typ: cfilewire.String, encoding: e, nullable: true, rows: [][]byte{[]byte("ab"), nil, []byte("abc"), []byte("ab")}})
	}
	for _, e := range []cfilewire.Encoding{cfilewire.EncodingRLE, cfilewire.EncodingBitShuffle, cfilewire.EncodingGroupVarint} {
		files = append(files, &built{typ: cfilewire.UInt32, encoding: e, rows: [][]byte{{1, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}}})
	}
	files = append(files, &built{typ: cfilewire.Bool, encoding: cfilewire.EncodingRLE, arrays: [][][]byte{{{1}, nil}, nil, {}}})
	for _, x := range files {
		x.plainSums = true
		good := x.build(t)
		for i := range good {
			for _, v := range []byte{good[i] ^ 1, good[i] ^ 0x80, 0, 0xff} {
				b := slices.Clone(good)
				b[i] = v
				checkShown(t, b)
			}
			checkShown(t, good[:i])
		}
	}
}
