package orc

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

// handmade is a file of one stripe that is put together piece by piece: one column of strings, uncompressed.
type handmade struct {
	rows       uint64
	dictionary uint64 // entries that the encoding tells of
	streams    []handmadeStream
	metadata   []byte
}

type handmadeStream struct {
	kind orcwire.StreamKind
	b    []byte
}

func (h handmade) bytes() []byte {
	b := []byte("ORC")
	var stripe pbtest.Message
	for _, s := range h.streams {
		stripe = stripe.Bytes(1, pbtest.Message(nil).Uint(1, uint64(s.kind)).Uint(3, uint64(len(s.b))))
		b = append(b, s.b...)
	}
	data := len(b) - 3
	stripe = stripe.Bytes(2, pbtest.Message(nil).Uint(1, uint64(orcwire.Dictionary)).Uint(2, h.dictionary))
	b = append(b, stripe...)
	info := pbtest.Message(nil).Uint(1, 3).Uint(3, uint64(data)).Uint(4, uint64(len(stripe))).Uint(5, h.rows)
	footer := pbtest.Message(nil).Uint(1, 3).Uint(2, uint64(len(b)-3)).
		Bytes(3, info).Bytes(4, pbtest.Message(nil).Uint(1, uint64(orcwire.String))).Uint(6, h.rows)
	b = append(append(b, h.metadata...), footer...)
	script := pbtest.Message(nil).Uint(1, uint64(len(footer))).Packed(4, 0, 12).Uint(5, uint64(len(h.metadata))).Uint(6, 1).Text(8000, "ORC")
	return append(append(b, script...), byte(len(script)))
}

// readHandmade reads a file with limits and returns its nulls and its other values.
func readHandmade(t *testing.T, h handmade, limits arrowio.Limits) (values, nulls int, err error) {
	t.Helper()
	f, err := Open(context.Background(), local.NewBytesSource(h.bytes()), limits, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	err = conformance.Everything(f, mem, 100, func(r arrow.Record) error {
		nulls += r.Column(0).NullN()
		values += r.Column(0).Len() - r.Column(0).NullN()
		return nil
	})
	return values, nulls, err
}

// Offsets have 31 bits, whatever the limit.
func TestDictionaryBeyondOffsets(t *testing.T) {
	ids := []byte{0xff, 0x00}                                     // one literal, 0
	gigabytes := []byte{0x01, 0x00, 0x80, 0x80, 0x80, 0x80, 0x04} // four times 1<<30
	h := handmade{rows: 1, dictionary: 4, streams: []handmadeStream{{orcwire.Data, ids}, {orcwire.DictionaryData, []byte("x")}, {orcwire.Length, gigabytes}}}
	for _, limit := range []int64{1 << 28, 1 << 40, math.MaxInt64} {
		if _, _, err := readHandmade(t, h, arrowio.Limits{DictionaryBytes: limit}); !errors.Is(err, errs.ErrLimit) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	h.streams[2].b = []byte{0xfc, 0x01, 0x00, 0x00, 0x00} // four literals
	if values, _, err := readHandmade(t, h, arrowio.Limits{DictionaryBytes: math.MaxInt64}); err != nil || values != 1 {
		t.Errorf("%d values, %v", values, err)
	}
}

// Where nothing has a length there is no dictionary, whatever the encoding says of its size.
func TestDictionaryWithoutLengths(t *testing.T) {
	for _, entries := range []uint64{0, 1, math.MaxUint32} {
		h := handmade{rows: 3, dictionary: entries, streams: []handmadeStream{{orcwire.Present, []byte{0xff, 0x00}}}}
		values, nulls, err := readHandmade(t, h, arrowio.Limits{})
		if err != nil || values != 0 || nulls != 3 {
			t.Errorf("%d entries: %d values, %d nulls, %v", entries, values, nulls, err)
		}
	}
}

// What is wrong with the metadata is found once; a source that fails is asked again.
func TestBrokenMetadata(t *testing.T) {
	ctx := context.Background()
	h := handmade{rows: 3, metadata: []byte{0x0a, 0x05}, streams: []handmadeStream{{orcwire.Present, []byte{0xff, 0x00}}}}
	src := arrowio.NewCountingSource(local.NewBytesSource(h.bytes()))
	f, err := Open(ctx, src, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := f.stripeStats(gone, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, first := f.stripeStats(ctx, 0)
	if !errors.Is(first, errs.ErrCorrupt) {
		t.Errorf("got %v", first)
	}
	calls := src.Calls()
	for range 3 {
		if _, err := f.stripeStats(ctx, 0); err == nil || err.Error() != first.Error() {
			t.Errorf("got %v, and then %v", first, err)
		}
	}
	if n := src.Calls() - calls; n != 0 {
		t.Errorf("%d reads of what is known to be broken", n)
	}
}
