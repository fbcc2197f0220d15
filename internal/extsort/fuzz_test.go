package extsort

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// FuzzSort sorts rows of a text and a number cut out of the input, in batches and memory that the seed chooses.
func FuzzSort(f *testing.F) {
	f.Add(int64(1), []byte("the quick brown fox jumps over the lazy dog, again and again and again"))
	f.Add(int64(2), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\xff\x00"))
	f.Add(int64(3), make([]byte, 5000))
	long := make([]byte, 20_000)
	rand.New(rand.NewSource(1)).Read(long)
	f.Add(int64(4), long)
	f.Fuzz(func(t *testing.T, seed int64, data []byte) {
		rng := rand.New(rand.NewSource(seed))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		b := array.NewRecordBuilder(mem, fields("a", arrow.BinaryTypes.Binary, "b", arrow.BinaryTypes.Binary, "c", arrow.PrimitiveTypes.Int16))
		defer b.Release()
		var recs []arrow.Record
		most := 1 + rng.Intn(40)
		text := func(c int) {
			n := min(rng.Intn(most), len(data))
			if n == 1 {
				b.Field(c).AppendNull()
			} else {
				b.Field(c).(*array.BinaryBuilder).Append(data[:n])
			}
			data = data[n:]
		}
		for rows := 1; len(data) > 0 && rows < 2000; rows++ {
			text(0)
			text(1)
			var n [2]byte
			data = data[copy(n[:], data):]
			b.Field(2).(*array.Int16Builder).Append(int16(binary.BigEndian.Uint16(n[:])))
			if rng.Intn(100) == 0 {
				recs = append(recs, b.NewRecord())
			}
		}
		recs = append(recs, b.NewRecord())
		defer releaseAll(recs)
		by := keysOf([][]string{
			{"a"}, {"b", "a"}, {"c", "a"}, {"a", "c"}, {"a", "c", "b"}, {"-a"}, {"^-b", "a"}, {"-c", "^a"}, {"^-a", "-c"}, {"a", "-c", "-b"},
		}[rng.Intn(10)]...)
		var cols []int
		for _, k := range by {
			cols = append(cols, int(k.Column[0]-'a'))
		}
		d := &disk{}
		got, _, err := sortAll(context.Background(), recs, by, Options{Memory: 64 << 10 << rng.Intn(3), Scratch: d.scratch, Allocator: mem, BatchRows: rng.Intn(100)})
		defer func() { releaseAll(got) }()
		if errors.Is(err, errs.ErrLimit) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, got, recs, expected(recs, cols, by))
	})
}
