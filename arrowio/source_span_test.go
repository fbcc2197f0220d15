package arrowio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// spanSource keeps what it was asked for.
type spanSource struct {
	b     []byte
	asked []string
	err   error
}

func (s *spanSource) Size() int64 { return int64(len(s.b)) }

func (s *spanSource) ReadAt(p []byte, off int64) (int, error) { return copy(p, s.b[off:]), nil }

func (s *spanSource) ReadSpans(_ context.Context, spans []Span) error {
	for _, p := range spans {
		s.asked = append(s.asked, fmt.Sprintf("%d+%d", p.Off, len(p.Dst)))
		copy(p.Dst, s.b[p.Off:])
	}
	return s.err
}

// Ranges of a far source are laid out as those of a near one, and asked for at once.
func TestSpanSource(t *testing.T) {
	b := make([]byte, 40<<20)
	for i := range b {
		b[i] = byte(i * 7 >> 3)
	}
	far := &spanSource{b: b}
	src := NewCountingSource(far)
	rs := []ByteRange{{Off: 100, Len: 10}, {Off: 50, Len: 20}, {Off: 1<<20 + 60, Len: 5}, {Off: 10 << 20, Len: 20 << 20}, {Off: 40<<20 - 3, Len: 3}, {Off: 5, Len: 0}}
	buf := make([]byte, 0, 64)
	pieces, buf, err := ReadRangesInto(t.Context(), src, rs, buf, 16)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rs {
		if !bytes.Equal(pieces[i], b[r.Off:r.End()]) || cap(pieces[i]) < len(pieces[i])+16 {
			t.Errorf("range %d", i)
		}
	}
	if got := strings.Join(far.asked, " "); got != "5+105 1048636+5 10485760+16777216 27262976+4194304 41943037+3" {
		t.Error(got)
	}
	if src.Bytes() != 105+5+(20<<20)+3 || src.Calls() != 1 {
		t.Errorf("%d bytes in %d calls", src.Bytes(), src.Calls())
	}
	// Of many ranges those that lie closest together are read with what is between them, until there are few spans.
	many := []ByteRange{{Off: 0, Len: 10}}
	for i := range int64(20) {
		many = append(many, ByteRange{Off: many[i].End() + 100_000 + 1000*i, Len: 10})
	}
	far.asked = nil
	if pieces, err := ReadRanges(t.Context(), src, many); err != nil || len(far.asked) != fewSpans {
		t.Errorf("%d ranges: %v, %v", len(pieces), far.asked, err)
	}
	again, kept, err := ReadRangesInto(t.Context(), src, rs[:2], buf, 16)
	if err != nil || &kept[0] != &buf[0] || !bytes.Equal(again[0], b[100:110]) {
		t.Errorf("the buffer is not used again: %v", err)
	}
	far.err = errors.New("no")
	if pieces, _, err := ReadRangesInto(t.Context(), src, rs, nil, 0); pieces != nil || !errors.Is(err, far.err) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadRanges(ctx, far, rs); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if Near(src) {
		t.Error("a far source is near")
	}
}

// A file that a filter needs no row of is not opened, unless rows are counted before the filter; the numbers of the
// others stay what they are.
func TestNeedlessFragments(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), schema, strings.NewReader(
		`[{"x":0},{"x":1},{"x":2},{"x":3},{"x":4},{"x":5},{"x":6},{"x":7},{"x":8},{"x":9}]`))
	if err != nil {
		t.Fatal(err)
	}
	var opened []string
	var fragments []Fragment
	for i, name := range []string{"a", "b", "c", "d"} {
		fragments = append(fragments, Fragment{
			Name: name,
			Open: func(context.Context) (File, error) {
				opened = append(opened, name)
				return newMemFile(t, rec), nil
			},
			Never: func(filter *expr.Bound) bool {
				if filter == nil || filter.String() == "" {
					t.Error("no filter")
				}
				return i%2 == 0
			},
		})
	}
	filter, err := expr.Parse("x IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{1, 3} { // files are opened by one worker at a time
		for want, o := range map[string]ScanOptions{
			"b d":     {Filter: filter},
			"a b c d": {},
			"b c":     {Filter: filter, Rows: RowRange{10, 30}},
		} {
			opened = nil
			o.Parallelism = jobs
			s, err := ScanFragments(t.Context(), schema, fragments, o)
			if err != nil {
				t.Fatal(err)
			}
			var from []int
			for s.Next() {
				if f := s.Place().Fragment; !slices.Contains(from, f) {
					from = append(from, f)
				}
			}
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			s.Release()
			if o.Rows != (RowRange{}) {
				opened = slices.DeleteFunc(opened, func(n string) bool { return n == "a" }) // it must be, to count
			}
			if got := strings.Join(opened, " "); got != want {
				t.Errorf("%+v: opened %s, want %s", o, got, want)
			}
			if o.Filter != nil && o.Rows == (RowRange{}) && !slices.Equal(from, []int{1, 3}) {
				t.Errorf("rows of fragments %v", from)
			}
		}
	}
}
