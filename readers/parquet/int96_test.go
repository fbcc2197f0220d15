package parquet

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// pyarrow 26 has written this file: t is INT96 of 0001-01-01 and of the last microsecond of 9999.
const farInt96 = "UEFSMRUAFTwVPCwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAAAFJEGgAY/E6RlE4AACz+UQAVBBksNQAYBnNjaGVtYRUCABUGJQIYAXQAFgQZHBkcJgAcFQYZJQYAGRgBdBUAFgQWYhZiJghJHBUAFQAVAgA8KQYZJgAEAAAAFmIWBCYIFmIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAHoAAABQQVIx"

// Times that nanoseconds cannot hold are no fault of a file.
func TestVerifyFarInt96(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(farInt96)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("a fault: %v", err) }); err != nil {
		t.Error(err)
	}
	recs, err := readAll(f, nil, 10, memory.DefaultAllocator)
	release(recs)
	if !errors.Is(err, errs.ErrBeyondNanoseconds) || !strings.Contains(err.Error(), "0001-01-01T00:00:00 does not fit timestamp[ns]; --timestamp-unit=us can hold it") {
		t.Errorf("in nanoseconds: %v", err)
	}
}

// Nanoseconds reach to the ends of an int64, and no further. Expectations are package time's.
func TestInt96Range(t *testing.T) {
	const day = 86400e9
	stored := func(days, nanos int64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(nanos))
		return binary.LittleEndian.AppendUint32(b, uint32(2440588+days))
	}
	for _, x := range []int64{0, 1, -1, day, -day, math.MaxInt64, math.MinInt64, math.MaxInt64 - day, math.MinInt64 + day} {
		at := time.Unix(0, x).UTC()
		midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		days, nanos := midnight.Unix()/86400, int64(at.Sub(midnight))
		for _, aside := range []int64{-1, 0, 1} { // the same time, told from a day beside it
			if n := nanos - aside*day; n >= -day && n <= 2*day {
				var got [1]uint64
				if err := int96Nanos.convert(got[:], stored(days+aside, n)); err != nil || int64(got[0]) != x {
					t.Errorf("%v from %d+%d: %d %v", at, days+aside, n, int64(got[0]), err)
				}
			}
		}
	}
	last, first := time.Unix(0, math.MaxInt64).UTC(), time.Unix(0, math.MinInt64).UTC()
	var got [1]uint64
	for _, b := range [][]byte{
		stored(last.Unix()/86400, int64(last.Sub(last.Truncate(24*time.Hour)))+1),
		stored((first.Unix()-86399)/86400, int64(first.Sub(first.Truncate(24*time.Hour)))-1),
		stored(200_000, 0),
	} {
		if err := int96Nanos.convert(got[:], b); !errors.Is(err, errs.ErrBeyondNanoseconds) {
			t.Errorf("%x: %d %v", b, int64(got[0]), err)
		}
		if err := int96OnlyNanos.convert(got[:], b); err == nil || errors.Is(err, errs.ErrBeyondNanoseconds) {
			t.Errorf("%x: %d %v", b, int64(got[0]), err)
		}
	}
	for nanos, want := range map[int64]int64{-1: -1, -1000: -1, -1001: -2, 999: 0, 1999: 1} {
		if err := int96Micros.convert(got[:], stored(0, nanos)); err != nil || int64(got[0]) != want {
			t.Errorf("%d ns: %d us, want %d: %v", nanos, int64(got[0]), want, err)
		}
		if err := int96WholeMicros.convert(got[:], stored(0, nanos)); (err == nil) != (nanos%1000 == 0) {
			t.Errorf("%d ns: %v", nanos, err)
		}
	}
	for _, w := range []int96Way{int96Nanos, int96Micros} {
		if err := w.convert(got[:], stored(0, 3*day)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%d: %v", w, err)
		}
	}
}
