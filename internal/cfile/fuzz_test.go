package cfile

import (
	"context"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// FuzzFile reads any bytes as a file: rows, keys, changes, filters. Those without checksums can be changed anywhere.
func FuzzFile(f *testing.F) {
	for _, p := range fixtures.Small(f, 600, byKudu+"*.cfile", damage+"*.cfile") {
		f.Add(fixtures.Read(f, p))
	}
	for _, x := range smallFiles(f) {
		f.Add(x.build(f))
		x.plainSums = true
		f.Add(x.build(f))
		x.compression = cfilewire.LZ4
		f.Add(x.build(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<15 {
			return
		}
		exercise(t, b, Options{})
		exercise(t, b, Options{Int128Binary: true, StringsBinary: true, Precision: 5, Scale: 2})
	})
}

// FuzzIndex walks over indexes that begin with any bytes, or lead to them.
func FuzzIndex(f *testing.F) {
	x := numbered(30)
	x.perBlock, x.fanout = 10, 2
	var raw [][]byte
	x.onIndex = func(_ string, b []byte) []byte {
		raw = append(raw, b)
		return b
	}
	x.build(f)
	for _, b := range raw {
		f.Add(b, uint8(0), uint32(30))
		f.Add(b, uint8(1), uint32(30))
		f.Add(b, uint8(2), uint32(20))
	}
	f.Add([]byte{8, 0, 16, 0, 4, 0, 0, 0}, uint8(0), uint32(0))
	f.Fuzz(func(t *testing.T, raw []byte, at uint8, rows uint32) {
		if len(raw) > 1<<12 {
			return
		}
		x := numbered(30)
		x.perBlock, x.fanout = 10, 2
		k := 0
		x.onIndex = func(_ string, b []byte) []byte {
			k++
			if (k-1)%3 == int(at%3) {
				return raw
			}
			return b
		}
		x.onFooter = func(m *[]builtField) { (*m)[2].value = uint64(rows) }
		b := x.build(t)
		r, err := OpenReader(context.Background(), local.NewBytesSource(b), smallLimits)
		if err != nil {
			checkError(t, err)
			return
		}
		blocks, err := r.positions(context.Background())
		if err != nil {
			checkError(t, err)
		}
		last := int64(0)
		for _, p := range blocks {
			if p.rows.Start != last || p.rows.Len() <= 0 || p.ptr.Off < 16 || p.ptr.End() > x.footer {
				t.Errorf("block %v behind row %d", p, last)
			}
			last = p.rows.End
		}
		if err == nil && last != int64(rows) {
			t.Errorf("%d rows of %d", last, rows)
		}
		exercise(t, b, Options{})
	})
}

// FuzzDeltas reads a delta file of which any bytes are the changes, one behind the other after its length.
func FuzzDeltas(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for n := range 5 {
		var b []byte
		for _, c := range changes(r, 1+n*3) {
			v := append(c.key(), c.bytes...)
			b = append(append(b, byte(len(v))), v...)
		}
		f.Add(b, uint8(n), uint16(0), uint16(50))
		f.Add(b, uint8(n), uint16(20), uint16(2000))
	}
	f.Fuzz(func(t *testing.T, b []byte, perBlock uint8, from, to uint16) {
		var list []change
		for len(b) > 0 && len(list) < 200 {
			n := min(len(b)-1, int(b[0]))
			c := change{bytes: b[1 : 1+n : 1+n]}
			b = b[1+n:]
			if k, rest, err := cfilewire.ParseDeltaKey(c.bytes); err == nil {
				c.row, c.time, c.bytes = k.Row, k.Time, rest
			}
			list = append(list, c)
		}
		x := deltaFile(nil, cfilewire.EncodingPlain)
		x.perBlock = 1 + int(perBlock)
		x.keys = func(row int) []byte { return list[row].key() }
		for _, c := range list {
			x.rows = append(x.rows, append(c.key(), c.bytes...))
		}
		raw := x.build(t)
		exercise(t, raw, Options{})
		file, err := Open(context.Background(), local.NewBytesSource(raw), smallLimits, Options{})
		if err != nil {
			checkError(t, err)
			return
		}
		walk := func(rows arrowio.RowRange) (seen []change, err error) {
			d, err := file.NewDeltas(context.Background(), rows, nil)
			if err != nil {
				return nil, err
			}
			for d.Next() {
				seen = append(seen, change{row: d.Key.Row, time: d.Key.Time, text: string(d.Change)})
			}
			return seen, d.Err
		}
		all, err := walk(arrowio.RowRange{End: 1 << 32})
		if err != nil {
			checkError(t, err)
			return
		}
		if len(all) != len(list) {
			t.Errorf("%d changes of %d", len(all), len(list))
		}
		part, err := walk(arrowio.RowRange{Start: int64(from), End: int64(to)})
		if err != nil {
			t.Errorf("all can be read, some cannot: %v", err)
		}
		for _, c := range all {
			if c.row < int64(from) || c.row >= int64(to) {
				continue
			}
			if len(part) == 0 || part[0].row != c.row || part[0].time != c.time || part[0].text != c.text {
				t.Fatalf("change %v is not among those of rows %d to %d", c, from, to)
			}
			part = part[1:]
		}
		if len(part) > 0 {
			t.Errorf("%v is not one of rows %d to %d", part[0], from, to)
		}
	})
}

// FuzzBlocks reads any bytes as blocks: of every type and encoding, with and without nulls, of arrays.
func FuzzBlocks(f *testing.F) {
	for i, x := range smallFiles(f) {
		if x.noRows {
			continue
		}
		var raw [][]byte
		x.onBlock = func(_ int, b []byte) []byte {
			raw = append(raw, b)
			return b
		}
		x.build(f)
		for k := range raw {
			f.Add(uint8(x.typ), uint8(x.encoding), uint8(boolBit(x.nullable)+2*boolBit(x.arrays != nil)), uint8(9), raw[k], raw[(k+1)%len(raw)])
			f.Add(uint8(i), uint8(x.encoding), uint8(k), uint8(2), raw[k], []byte{})
		}
	}
	f.Fuzz(func(t *testing.T, typ, encoding, shape, rows uint8, raw, more []byte) {
		if len(raw)+len(more) > 1<<12 {
			return
		}
		x := &built{typ: cfilewire.DataType(typ % 21), encoding: 1 + cfilewire.Encoding(encoding-1)%6, nullable: shape&1 != 0, perBlock: max(1, int(rows))}
		if cfilewire.CheckEncoding(&cfilewire.Footer{Type: x.typ, Encoding: x.encoding}) != nil {
			return
		}
		n := int(rows) * (1 + boolInt(len(more) > 0))
		if shape&2 != 0 {
			x.arrays = make([][][]byte, n)
		} else {
			x.rows = make([][]byte, n)
		}
		x.blank = true
		x.onBlock = func(k int, _ []byte) []byte { return [][]byte{raw, more}[k%2] }
		words := plainStrings(0, [][]byte{[]byte("a"), []byte("bc"), {}})
		x.onStored = func(what string, b []byte) []byte {
			if what == "dict" {
				return words
			}
			return b
		}
		b := x.build(t)
		exercise(t, b, Options{Int128Binary: true})
		salvage(t, b)
	})
}

// salvage reads what is left of a file.
func salvage(t *testing.T, b []byte) {
	file, err := Open(context.Background(), local.NewBytesSource(b), smallLimits, Options{})
	if err != nil {
		return
	}
	lost, err := file.Damage(context.Background(), file.Schema().Field(0), func(r arrowio.RowRange, err error) { checkError(t, err) })
	if err != nil {
		checkError(t, err)
		return
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rec, err := conformance.Collect(t, file, mem, 1<<16)
	if rec != nil {
		defer rec.Release()
	}
	if (err == nil) != (len(lost) == 0) {
		t.Errorf("rows %v are lost, and reading says %v", lost, err)
	}
}
