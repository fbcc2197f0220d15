package cfile

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/orctext"
)

// change is one of a delta file, and text the line that it is.
type change struct {
	row   int64
	time  uint64
	bytes []byte // what follows the key
	ids   []int32
	text  string
}

// memcomparable appends an SQLite4 varint.
func memcomparable(b []byte, v uint64) []byte {
	switch {
	case v <= 240:
		return append(b, byte(v))
	case v <= 2287:
		return append(b, byte((v-240)/256+241), byte((v-240)%256))
	case v <= 67823:
		return append(b, 249, byte((v-2288)/256), byte((v-2288)%256))
	}
	n := 3
	for n < 8 && v>>(8*n) != 0 {
		n++
	}
	b = append(b, byte(247+n))
	return append(b, binary.BigEndian.AppendUint64(nil, v)[8-n:]...)
}

func (c change) key() []byte { return memcomparable(memcomparable(nil, uint64(c.row)), c.time) }

// changes makes n random ones, several of some rows.
func changes(r *rand.Rand, n int) []change {
	out := make([]change, n)
	row, time := int64(r.Intn(3)), uint64(0)
	for i := range out {
		if r.Intn(3) > 0 {
			row += 1 + r.Int63n(1+r.Int63n(1000))
			time = r.Uint64() >> (1 + r.Intn(60))
		} else {
			time += uint64(1 + r.Intn(9))
		}
		c := change{row: row, time: time}
		op := 1 + r.Intn(3)
		c.bytes = []byte{byte(op)}
		var cells []string
		for range r.Intn(4) * boolInt(op != 2) {
			id := r.Intn(200)
			c.ids = append(c.ids, int32(id))
			c.bytes = binary.AppendUvarint(c.bytes, uint64(id))
			if r.Intn(3) == 0 {
				c.bytes = append(c.bytes, 0)
				cells = append(cells, fmt.Sprintf("[%d,null]", id))
				continue
			}
			v := make([]byte, r.Intn(20))
			r.Read(v)
			c.bytes = append(binary.AppendUvarint(c.bytes, uint64(len(v)+1)), v...)
			cells = append(cells, fmt.Sprintf(`[%d,"%s"]`, id, hex.EncodeToString(v)))
		}
		if op == 1 && cells == nil { // an update of something
			c.bytes, c.ids, cells = append(c.bytes, 7, 0), []int32{7}, []string{"[7,null]"}
		}
		c.text = fmt.Sprintf(`[%d,%d,"%s",[%s]]`, c.row, c.time, []string{"update", "delete", "reinsert"}[op-1], strings.Join(cells, ","))
		out[i] = c
	}
	return out
}

// deltaStats returns DeltaStatsPB of changes.
func deltaStats(list []change) []byte {
	least, most, columns := ^uint64(0), uint64(0), map[int32]uint64{}
	var ops [4]uint64
	for _, c := range list {
		least, most = min(least, c.time), max(most, c.time)
		ops[c.bytes[0]]++
		for _, id := range c.ids {
			columns[id]++
		}
	}
	number := func(b []byte, num protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
	}
	b := number(nil, 1, ops[2])
	b = protowire.AppendFixed64(protowire.AppendTag(b, 3, protowire.Fixed64Type), least)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 4, protowire.Fixed64Type), most)
	for _, id := range slices.Sorted(maps.Keys(columns)) {
		u := number(number(nil, 1, uint64(id)), 2, columns[id])
		b = protowire.AppendBytes(protowire.AppendTag(b, 5, protowire.BytesType), u)
	}
	return number(b, 6, ops[3])
}

// deltaFile describes a file of changes.
func deltaFile(list []change, encoding cfilewire.Encoding) *built {
	f := &built{
		typ: cfilewire.Binary, encoding: encoding, compression: cfilewire.LZ4, keyed: true, noRows: true, whole: true, perBlock: 13, fanout: 4,
		meta: []cfilewire.Pair{{Key: "deltafilestats", Value: deltaStats(list)}},
	}
	for _, c := range list {
		f.rows = append(f.rows, append(c.key(), c.bytes...))
	}
	f.keys = func(row int) []byte { return list[row].key() }
	return f
}

// A delta file gives its changes as rows, whole and by column.
func TestDeltaRows(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, encoding := range []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingPrefix} {
		for _, n := range []int{0, 1, 12, 300} {
			list := changes(r, n)
			f := deltaFile(list, encoding)
			var want []string
			for _, c := range list {
				want = append(want, c.text)
			}
			file := openBuilt(t, f, Options{})
			if file.Kind() != cfilewire.DeltaFile || n == 1 && file.DeltaStats().MaxTime != list[0].time {
				t.Fatalf("%v, %v", file.Kind(), file.DeltaStats())
			}
			for _, batch := range []int{1 << 16, 7} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				got, err := textOf(file, mem, batch, 1<<20)
				if err != nil {
					t.Error(err)
				}
				compareText(t, got, want)
				mem.AssertSize(t, 0)
			}
			if n != 12 {
				src := local.NewBytesSource(f.build(t))
				t.Run(fmt.Sprintf("%v/%d", encoding, n), func(t *testing.T) {
					conformance.Run(t, conformance.Harness{Source: src, Scans: 20, Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
						return Open(ctx, src, arrowio.Limits{}, Options{})
					}})
				})
			}
		}
	}
}

// Children of the changes can be asked for alone.
func TestDeltaProjection(t *testing.T) {
	list := changes(rand.New(rand.NewSource(2)), 50)
	file := openBuilt(t, deltaFile(list, cfilewire.EncodingPlain), Options{})
	for _, columns := range [][]string{{"changes.column_id"}, {"changes.value", "row"}, {"op"}, {"changes"}} {
		s, err := arrowio.Scan(context.Background(), file, arrowio.ScanOptions{Columns: columns, Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		row := 0
		for s.Next() {
			rec := signed(s.Record())
			for _, line := range orctext.Rows(rec) {
				if want := projected(list[row], columns); line != want {
					t.Errorf("%v: %s, want %s", columns, line, want)
				}
				row++
			}
			rec.Release()
		}
		if s.Err() != nil || row != 50 {
			t.Errorf("%v: %d rows: %v", columns, row, s.Err())
		}
		s.Release()
	}
}

// projected returns the line of a change with only some columns.
func projected(c change, columns []string) string {
	parts := strings.SplitN(strings.Trim(c.text, "[]"), ",", 4)
	inner := strings.TrimSuffix(c.text[strings.Index(c.text, `",[`)+2:], "]")
	var out []string
	for _, name := range columns {
		switch name {
		case "row":
			out = append(out, parts[0])
		case "op":
			out = append(out, parts[2])
		case "changes":
			out = append(out, inner)
		default:
			var cells []string
			for _, cell := range strings.Split(strings.Trim(inner, "[]"), "],[") {
				if id, value, ok := strings.Cut(cell, ","); ok && name == "changes.value" {
					cells = append(cells, "["+value+"]")
				} else if ok {
					cells = append(cells, "["+id+"]")
				}
			}
			out = append(out, "["+strings.Join(cells, ",")+"]")
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

// The changes of any range of rows come all, in order, for the blocks that hold them.
func TestDeltas(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	ctx := context.Background()
	for range 20 {
		list := changes(r, 1+r.Intn(400))
		f, err := OpenReader(ctx, local.NewBytesSource(deltaFile(list, cfilewire.EncodingPlain).build(t)), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		end := list[len(list)-1].row + 5
		var sc Scratch
		for range 40 {
			from := r.Int63n(end)
			to := from + r.Int63n(end)
			if r.Intn(2) == 0 {
				from = list[r.Intn(len(list))].row
				to = from + int64(r.Intn(2))
			}
			d, err := f.NewDeltas(ctx, arrowio.RowRange{Start: from, End: to}, &sc)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(list), func(c change) bool { return c.row < from || c.row >= to })
			n := 0
			for ; d.Next(); n++ {
				if n >= len(want) || d.Key != (cfilewire.DeltaKey{Row: want[n].row, Time: want[n].time}) || string(d.Change) != string(want[n].bytes) {
					t.Fatalf("rows %d to %d: change %d is %v", from, to, n, d.Key)
				}
			}
			if d.Err != nil || n != len(want) || d.Next() {
				t.Fatalf("rows %d to %d: %d changes, want %d: %v", from, to, n, len(want), d.Err)
			}
		}
	}
	if _, err := openBuilt(t, numbered(5), Options{}).NewDeltas(ctx, arrowio.RowRange{End: 5}, nil); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
}

// What is wrong with a delta file is said, by those who read all of it and by those who need some.
func TestDeltasDamaged(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	ctx := context.Background()
	count := func(d int) func(*built) {
		return func(f *built) {
			f.onFooter = func(fields *[]builtField) { (*fields)[2].value += uint64(d) }
		}
	}
	for name, x := range map[string]struct {
		change func(f *built, list []change)
		rows   bool // only the count is wrong: whoever needs changes gets them
	}{
		"a change more": {func(f *built, _ []change) { count(1)(f) }, true},
		"a change less": {func(f *built, _ []change) { count(-1)(f) }, true},
		"none counted":  {func(f *built, _ []change) { count(-100)(f) }, true},
		"rows descend": {func(f *built, l []change) {
			f.rows[40], f.rows[41+slices.IndexFunc(l[41:], func(c change) bool { return c.row > l[40].row })] = f.rows[99], f.rows[40]
		}, false},
		"no key":              {func(f *built, _ []change) { f.rows[50] = []byte{} }, false},
		"a key cut short":     {func(f *built, _ []change) { f.rows[50] = []byte{255, 1, 2} }, false},
		"a row beyond 32 bit": {func(f *built, _ []change) { f.rows[50] = memcomparable(memcomparable(nil, 1<<32), 5) }, false},
		"an index of others": {func(f *built, l []change) {
			f.onEntry = func(_ string, e *builtEntry) { e.key = []byte{250, 1} }
		}, false},
		"an index that descends": {func(f *built, l []change) {
			f.fanout = 0
			n := byte(200)
			f.onEntry = func(_ string, e *builtEntry) { n--; e.key = []byte{n, 1} }
		}, false},
		"encoding": {func(f *built, _ []change) { f.encoding = cfilewire.EncodingDict }, false},
		"a flip":   {func(f *built, _ []change) { f.onStored = func(_ string, b []byte) []byte { return b[:len(b)-1] } }, false},
	} {
		list := changes(r, 100)
		f := deltaFile(list, cfilewire.EncodingPlain)
		x.change(f, list)
		b := f.build(t)
		if name == "a flip" {
			f.onStored = nil
			b = f.build(t)
			b[f.data[3].Off+9] ^= 1
		}
		file, err := Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, Options{})
		if err == nil {
			_, err = textOf(file, memory.DefaultAllocator, 7, 1<<20)
		}
		if err == nil {
			t.Errorf("%s: nobody notices", name)
		} else {
			checkError(t, err)
		}
		reader, err := OpenReader(ctx, local.NewBytesSource(b), arrowio.Limits{})
		if err != nil {
			checkError(t, err)
			continue
		}
		d, err := reader.NewDeltas(ctx, arrowio.RowRange{End: 1 << 32}, nil)
		if err != nil {
			checkError(t, err)
			continue
		}
		for d.Next() {
		}
		if (d.Err == nil) != x.rows {
			t.Errorf("%s: deltas: %v", name, d.Err)
		}
		if d.Err != nil {
			checkError(t, d.Err)
		}
	}
}
