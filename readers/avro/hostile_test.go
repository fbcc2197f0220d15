package avro

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/fixtures"
)

var testSync = [avrowire.SyncSize]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// build returns a file of a schema, whose blocks are given as they are stored.
func build(schema, codec string, blocks ...[]byte) []byte {
	h := &avrowire.Header{Sync: testSync, Meta: []arrowmeta.Pair{{Key: "avro.schema", Value: []byte(schema)}, {Key: "avro.codec", Value: []byte(codec)}}}
	return append(avrowire.AppendHeader(nil, h), bytes.Join(blocks, nil)...)
}

// stored returns a block.
func stored(rows int64, data []byte) []byte {
	return append(append(avrowire.AppendBlockHead(nil, rows, int64(len(data))), data...), testSync[:]...)
}

func longs(v ...int64) (out []byte) {
	for _, x := range v {
		out = bitpack.AppendZigzag(out, x)
	}
	return out
}

func row(typ string) string {
	return `{"type":"record","name":"Row","fields":[{"name":"c","type":` + typ + `}]}`
}

// Bytes that are no container file, or promise what is not there, are errors with a place, without memory for what they promise.
func TestHostile(t *testing.T) {
	var e avrowire.Encoder
	bomb, err := e.Pack(avrowire.Codec{Codec: blockcodec.Deflate}, 9, nil, make([]byte, 80<<20))
	if err != nil {
		t.Fatal(err)
	}
	damaged := stored(1, longs(1))
	damaged[len(damaged)-1]++
	overlong := bytes.Repeat([]byte{0xff}, 11)
	for name, c := range map[string]struct {
		file []byte
		want string
		kind errs.Kind
	}{
		"no sync marker":         {build(row(`"int"`), "null", damaged), "the sync marker of the file does not stand behind the block at", errs.ErrCorrupt},
		"cut in a block":         {build(row(`"int"`), "null", stored(1, longs(1))[:9]), "bytes are left in the file", errs.ErrCorrupt},
		"negative rows":          {build(row(`"int"`), "null", stored(-1, longs(1))), "a block of -1 rows", errs.ErrCorrupt},
		"negative size":          {build(row(`"int"`), "null", append(longs(1, -5), testSync[:]...)), "a block of -5 bytes", errs.ErrCorrupt},
		"huge size":              {build(row(`"int"`), "null", append(longs(1, math.MaxInt64), testSync[:]...)), "bytes are left in the file", errs.ErrCorrupt},
		"rows in no bytes":       {build(row(`"int"`), "null", stored(1<<40, longs(1))), "a block of 1099511627776 rows in 1 bytes, which cannot hold so many", errs.ErrCorrupt},
		"rows in packed bytes":   {build(row(`"int"`), "deflate", stored(1<<40, bomb[:1000])), "which cannot hold so many", errs.ErrCorrupt},
		"rows without bytes":     {build(row(`"null"`), "null", stored(1<<50, nil)), "rows that take no bytes are over the limit BatchElements", errs.ErrLimit},
		"rows of no fields":      {build(`{"type":"record","name":"R","fields":[]}`, "null", stored(math.MaxInt64, nil)), "a block of 9223372036854775807 rows", errs.ErrCorrupt},
		"a bomb":                 {build(row(`"bytes"`), "deflate", stored(1, bomb)), "over the limit BlockBytes", errs.ErrLimit},
		"too few rows":           {build(row(`"int"`), "null", stored(1, longs(1, 2))), "1 bytes are left behind the last row", errs.ErrCorrupt},
		"too many rows":          {build(row(`"string"`), "null", stored(3, longs(0, 0))), "which cannot hold so many", errs.ErrCorrupt},
		"a row too many":         {build(row(`{"type":"array","items":"int"}`), "null", stored(2, longs(1, 5))), "the block ends within a row", errs.ErrCorrupt},
		"a length beyond":        {build(row(`"string"`), "null", stored(1, longs(math.MaxInt64))), "bytes are left in the block", errs.ErrCorrupt},
		"a negative length":      {build(row(`"bytes"`), "null", stored(1, longs(-3))), "a length of -3", errs.ErrCorrupt},
		"items beyond":           {build(row(`{"type":"array","items":"int"}`), "null", stored(1, longs(1<<40, 1))), "1099511627776 items, but 1 bytes are left", errs.ErrCorrupt},
		"items without bytes":    {build(row(`{"type":"array","items":"null"}`), "null", stored(1, longs(1<<40, 0))), "elements without bytes are over the limit BatchElements", errs.ErrLimit},
		"the least count":        {build(row(`{"type":"array","items":"int"}`), "null", stored(1, longs(math.MinInt64, 0))), "a block of -9223372036854775808 items", errs.ErrCorrupt},
		"entries beyond":         {build(row(`{"type":"map","values":"int"}`), "null", stored(1, longs(-(1<<40), 0))), "items, but 0 bytes are left", errs.ErrCorrupt},
		"an int of 64 bits":      {build(row(`"int"`), "null", stored(1, longs(1<<40))), "has more than 32 bits", errs.ErrCorrupt},
		"a number that goes on":  {build(row(`"long"`), "null", stored(1, overlong)), "a number has more than 64 bits", errs.ErrCorrupt},
		"a boolean of 2":         {build(row(`"boolean"`), "null", stored(1, []byte{2})), "the boolean 2", errs.ErrCorrupt},
		"an enum without symbol": {build(row(`{"type":"enum","name":"E","symbols":["A"]}`), "null", stored(1, longs(1))), "enum value 1 of 1 symbols", errs.ErrCorrupt},
		"a branch that is not":   {build(row(`["null","int"]`), "null", stored(1, longs(2))), "branch 2 of a union of 2", errs.ErrCorrupt},
		"text that is not UTF-8": {build(row(`"string"`), "null", stored(1, []byte{2, 0xff})), "a string is not UTF-8", errs.ErrCorrupt},
		"snappy, a wrong sum":    {build(row(`"int"`), "snappy", stored(1, []byte{1, 0, 2, 9, 9, 9, 9})), "the checksum is wrong", errs.ErrCorrupt},
		"snappy, no sum":         {build(row(`"int"`), "snappy", stored(1, []byte{1})), "no room for its checksum", errs.ErrCorrupt},
		"no schema":              {append([]byte("Obj\x01\x00"), testSync[:]...), "the metadata have no avro.schema", errs.ErrCorrupt},
		"a codec unknown":        {build(row(`"int"`), "lzma9", nil), `codec "lzma9" is not supported`, errs.ErrUnsupported},
		"metadata without end":   {[]byte("Obj\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "metadata of", errs.ErrCorrupt},
		"recursion":              {build(`{"type":"record","name":"a.Node","fields":[{"name":"n","type":["null","Node"]}]}`, "null"), "recursive avro schema: a.Node contains itself", errs.ErrUnsupported},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		before := fixtures.CPUTime()
		err := readAll(c.file, mem)
		if took := fixtures.CPUTime() - before; took.Seconds() > 2 {
			t.Errorf("%s: took %s", name, took)
		}
		mem.AssertSize(t, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
			continue
		}
		if a, _ := errs.Where(err); a.Format != Name || a.Op == "" {
			t.Errorf("%s: no place: %v", name, err)
		}
	}
}

func readAll(b []byte, mem memory.Allocator) error {
	f, err := Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Allocator: mem, Parallelism: 1})
	if err != nil {
		return err
	}
	defer rows.Release()
	for rows.Next() {
	}
	return rows.Err()
}

// What is legal but unusual is read: numbers with more bytes than they need, blocks without rows, arrays in several blocks, repeated
// keys, a schema in an object, an empty codec.
func TestUnusual(t *testing.T) {
	padded := []byte{0x82, 0x80, 0x00} // 1
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"padded numbers":        {build(row(`["null","long"]`), "", stored(1, append(append([]byte{}, padded...), padded...))), "1"},
		"blocks without rows":   {build(row(`"int"`), "null", stored(0, nil), stored(1, longs(7)), stored(0, nil)), "7"},
		"arrays in blocks":      {build(row(`{"type":"array","items":"int"}`), "null", stored(1, longs(2, 1, 2, -1, 1, 3, 0))), "[1 2 3]"},
		"a schema in an object": {build(`{"type":`+row(`{"type":"int"}`)+`}`, "null", stored(1, longs(7))), "7"},
	} {
		f, err := openBytes(t, c.file, arrowio.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rec, err := conformance.Collect(t, f, memory.DefaultAllocator, 10)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := rec.Column(0).String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Every cut of a file is an error, but at the end of a block.
func TestEveryCut(t *testing.T) {
	const path = java + "random-5-deflate.avro"
	whole := fixtures.Read(t, path)
	f := mustOpen(t, path, arrowio.OpenOptions{}).(*file)
	ends := map[int64]bool{f.header.Size: true}
	if err := f.each(context.Background(), func(b block) error { ends[b.end()] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		err := readAll(whole[:n], memory.DefaultAllocator)
		if (err == nil) != ends[int64(n)] {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

// A projection reads past what it does not need: damage there does not matter, and what is read is right.
func TestProjectionSkips(t *testing.T) {
	schema := `{"type":"record","name":"Row","fields":[{"name":"t","type":"string"},{"name":"n","type":"int"}]}`
	b := build(schema, "null", stored(2, append(append([]byte{2, 0xff}, longs(7)...), append([]byte{2, 0xfe}, longs(8)...)...)))
	f, err := openBytes(t, b, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Columns: []string{"n"}, Filter: mustParse(t, "n > 7")})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	n := int64(0)
	for rows.Next() {
		n += rows.Record().NumRows()
	}
	if rows.Err() != nil || n != 1 {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

func mustParse(t *testing.T, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Verify names each damaged block, and goes on behind it.
func TestVerify(t *testing.T) {
	bad := stored(2, longs(7))
	good := stored(1, longs(7))
	lost := append([]byte{}, good...)
	lost[len(lost)-1]++
	for _, c := range []struct {
		blocks [][]byte
		want   []string
	}{
		{[][]byte{good, good}, nil},
		{[][]byte{stored(1, longs(7, 7)), good, stored(1, longs(1<<40))}, []string{"1 bytes are left behind the last row", "the int 1099511627776 has more than 32 bits"}},
		{[][]byte{good, bad, good}, []string{"which cannot hold so many"}},
		{[][]byte{good, lost, good}, []string{"the sync marker of the file does not stand behind"}},
		{[][]byte{stored(0, []byte{1})}, []string{"1 bytes in a block without rows"}},
	} {
		f, err := openBytes(t, build(row(`"int"`), "null", c.blocks...), arrowio.OpenOptions{For: arrowio.ForVerify})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		v := f.(*file)
		if err := v.Verify(context.Background(), func(err error) { got = append(got, err.Error()) }); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(c.want) {
			t.Errorf("%q, want %q", got, c.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) || !strings.Contains(got[i], " at ") {
				t.Errorf("%q, want %q", got[i], c.want[i])
			}
		}
	}
}
