package flight

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// boundStream is a stream of one row of parameters, as a client writes it.
func boundStream(t testing.TB) []byte {
	t.Helper()
	rec := recordOf(t, `[{"1": 7, "2": "x"}]`, arrow.Field{Name: "1", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "2", Type: arrow.BinaryTypes.String})
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// No row is no values, except where there is nothing to bind.
func TestParametersEmpty(t *testing.T) {
	for _, fields := range [][]arrow.Field{nil, {{Name: "1", Type: arrow.PrimitiveTypes.Int64}}} {
		var b bytes.Buffer
		if err := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := parameterValues(t.Context(), b.Bytes()); (err != nil) != (fields != nil) || len(got) != 0 {
			t.Error(fields, got, err)
		}
	}
}

// Views of text and bytes are text and bytes: newer clients bind them.
func TestParameterViews(t *testing.T) {
	s := array.NewStringViewBuilder(memory.DefaultAllocator)
	defer s.Release()
	s.Append("it's longer than twelve bytes")
	b := array.NewBinaryViewBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Append([]byte{0, 0xFF})
	for _, q := range []struct {
		col  arrow.Array
		want string
	}{{s.NewArray(), "'it''s longer than twelve bytes'"}, {b.NewArray(), "X'00FF'"}} {
		got, err := literal(q.col)
		if err != nil || !strings.EqualFold(got, q.want) {
			t.Errorf("%s: %s, %v; want %s", q.col.DataType(), got, err, q.want)
		}
		q.col.Release()
	}
}

// A stream that is cut, or has any byte changed, is refused or has values: it ends nothing.
func TestParametersHostile(t *testing.T) {
	b := boundStream(t)
	got, err := parameterValues(t.Context(), b)
	if err != nil || len(got) != 2 || got[0] != "7" || got[1] != "'x'" {
		t.Fatal(got, err)
	}
	s := &Server{}
	check := func(b []byte, what string, at int) {
		if _, err := parameterValues(t.Context(), b); err != nil {
			if c := codeOf(s.status(&Call{}, err)); c.String() == "Internal" || c.String() == "Unknown" {
				t.Fatalf("%s %d: %v", what, at, err)
			}
		}
	}
	for n := range b {
		check(b[:n], "cut at", n)
		for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
			c := bytes.Clone(b)
			c[n] = v
			check(c, "changed at", n)
		}
	}
}

// Whatever a client sends as parameters, it is refused or has values.
func FuzzParameters(f *testing.F) {
	b := boundStream(f)
	f.Add(b)
	f.Add(b[:len(b)/2])
	s := &Server{}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxBindBytes {
			return
		}
		if _, err := parameterValues(t.Context(), b); err != nil {
			if c := codeOf(s.status(&Call{}, err)); c.String() == "Internal" || c.String() == "Unknown" {
				t.Fatal(err)
			}
		}
	})
}
