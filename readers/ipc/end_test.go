package ipc

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	aipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// A stream that ends between two messages without its end mark is read, with a warning: it may have been cut off there.
func TestNoEndMark(t *testing.T) {
	for _, name := range []string{"batches.arrows", "old.arrows", "empty.arrows"} {
		whole := fixture(t, name)
		mark := 8
		if name == "old.arrows" {
			mark = 4
		}
		for _, c := range []struct {
			what string
			b    []byte
			want int
		}{
			{"whole", whole, 0},
			{"without its end mark", whole[:len(whole)-mark], 1},
			{"with other bytes behind it", append(bytes.Clone(whole), "other bytes"...), 1},
		} {
			f, err := open(c.b, name, arrowio.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w := arrowio.WarningsOf(f)
			if len(w) != c.want || c.want > 0 && w[0].Kind != arrowio.WarnDoubt {
				t.Errorf("%s %s: warnings %v, want %d", name, c.what, w, c.want)
			}
			recs, err := readAll(f, nil, 100, checked(t))
			if err != nil {
				t.Errorf("%s %s: %v", name, c.what, err)
			}
			release(recs)
			f.Close()
		}
	}
}

// Values may look like an end mark: reading tells.
func TestValuesLikeAnEndMark(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	for range 8 { // the buffers of the writer are padded to 64 bytes
		b.Append(0xffffffff)
	}
	a := b.NewArray()
	defer a.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: a.DataType()}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a}, 8)
	defer rec.Release()
	var out bytes.Buffer
	w := aipc.NewWriter(&out, aipc.WithSchema(schema))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	cut := bytes.Clone(out.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.Len() != len(cut)+8 || !bytes.Equal(cut[len(cut)-8:], out.Bytes()[len(cut):]) {
		t.Fatal("the last value does not look like the end mark")
	}
	f, err := open(cut, "x.arrows", arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := readAll(f, nil, 100, checked(t))
	if err != nil {
		t.Fatal(err)
	}
	release(recs)
	if w := arrowio.WarningsOf(f); len(w) != 1 {
		t.Errorf("warnings %v", w)
	}
}
