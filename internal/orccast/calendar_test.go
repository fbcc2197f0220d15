package orccast

import (
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// What orc-core 2.3.1 makes of numbers in a file of the hybrid calendar, in seconds.
func TestHybrid(t *testing.T) {
	time, local := field(&arrow.TimestampType{Unit: arrow.Second}, ""), field(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, "")
	decimal := field(&arrow.Decimal128Type{Precision: 20, Scale: 3}, "")
	for _, c := range []struct {
		from    arrow.Field
		v, want any
	}{
		{fI64, 0, 0},
		{fI64, -12219292800, -12219292800},
		{fI64, -12219292801, -12220156801},
		{fI64, -12300000000, -12300864000},
		{fI64, -40000000000, -40000345600},
		{fI64, -62135596800, -62135424000},
		{fI64, -62200000000, -62042060800},
		{fI64, -100000000000, -24293987200},
		{fI64, -85462601433088, 85336579334912},
		{fF64, -12300000000.0, -12300864000},
		{fF64, -100000000000.0, -24293987200},
		{fF64, math.NaN(), nil},
		{fF32, -12300000256.0, -12300864256},
		{decimal, "-100000000000.000", -24293987200},
		{decimal, "-62135596801.000", -62135424001},
		{fStr, "1500-01-01 00:00:00", -14831769600},
		{fStr, "1500-01-01 00:00:00 UTC", -14831769600},
		{fDate, -171664, -14831769600},
	} {
		for _, to := range []arrow.Field{time, local} {
			if s, ok := c.v.(string); ok && c.from.Type.ID() == arrow.STRING && (len(s) > 19) != (to.Type == local.Type) {
				continue
			}
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			a := arrayOf(t, c.from, c.v, mem)
			d, err := JavaOf(arrowio.HybridCalendar)(c.from, to)(a.Data(), mem)
			if err != nil {
				t.Fatalf("%v of %s: %v", c.v, c.from.Type, err)
			}
			out := array.MakeFromData(d)
			if got := shown(out, 0); got != c.want {
				t.Errorf("%v of %s as %s is %v, want %v", c.v, c.from.Type, to.Type, got, c.want)
			}
			out.Release()
			d.Release()
			a.Release()
			mem.AssertSize(t, 0)
		}
	}
}

// Where nobody knows which calendar a number is of, it is no time, if that matters.
func TestSeveralCalendars(t *testing.T) {
	for v, ok := range map[int]bool{0: true, -12219292800: true, -12219292801: false} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a := arrayOf(t, fI64, v, mem)
		d, err := JavaOf(arrowio.SeveralCalendars)(fI64, fTime)(a.Data(), mem)
		if ok != (err == nil) || err != nil && !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%d: %v", v, err)
		}
		if d != nil {
			d.Release()
		}
		a.Release()
		mem.AssertSize(t, 0)
	}
}
