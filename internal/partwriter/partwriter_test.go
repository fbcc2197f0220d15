package partwriter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/local"
)

// lines writes a byte a row, and an end mark.
type lines struct {
	w       io.Writer
	fail    error
	aborted *int
}

func (l *lines) Write(rec arrow.Record) error {
	if l.fail != nil {
		return l.fail
	}
	_, err := l.w.Write(make([]byte, rec.NumRows()))
	return err
}

func (l *lines) Close() error { _, err := l.w.Write([]byte("!")); return err }
func (l *lines) Abort()       { *l.aborted++ }

func rows(n int64) arrow.Record { return array.NewRecord(arrow.NewSchema(nil, nil), nil, n) }

func TestParts(t *testing.T) {
	for _, c := range []struct {
		limit int64
		want  []int // bytes of each part, end mark included
	}{{0, []int{36}}, {10, []int{11, 16, 11}}, {1, []int{11, 6, 11, 11}}} {
		st := local.NewMemStore()
		w, err := New(context.Background(), st, Options{Extension: ".x", MaxFileBytes: c.limit, Begin: func(w io.Writer) (Encoder, error) { return &lines{w: w}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int64{10, 0, 5, 10, 10} {
			if err := w.Write(rows(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), st.Commit()); err != nil {
			t.Fatal(err)
		}
		var got []int
		for range st.Objects() {
			b := st.Objects()[fmt.Sprintf("part-%05d.x", len(got))]
			if len(b) == 0 || b[len(b)-1] != '!' {
				t.Errorf("part %d was not closed", len(got))
			}
			got = append(got, len(b))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("limit %d: parts of %d bytes, want %d", c.limit, got, c.want)
		}
	}
}

// No object is without rows, even where its first bytes are more than an object should have.
func TestPartsHaveRows(t *testing.T) {
	st := local.NewMemStore()
	w, err := New(context.Background(), st, Options{Extension: ".x", MaxFileBytes: 1, Begin: func(w io.Writer) (Encoder, error) {
		_, err := w.Write([]byte("head"))
		return &lines{w: w}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := w.Write(rows(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), st.Commit()); err != nil {
		t.Fatal(err)
	}
	if n := len(st.Objects()); n != 3 {
		t.Errorf("%d objects of 3 rows", n)
	}
	for name, b := range st.Objects() {
		if len(b) != len("head")+1+len("!") {
			t.Errorf("%s has %d bytes", name, len(b))
		}
	}
}

func TestAbortAfterAnError(t *testing.T) {
	broken := errors.New("broken")
	aborted := 0
	w, err := New(context.Background(), local.NewMemStore(), Options{Extension: ".x", Begin: func(w io.Writer) (Encoder, error) { return &lines{w, broken, &aborted}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows(1)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := errors.Join(w.Abort(), w.Abort()); err != nil || aborted != 1 {
		t.Errorf("aborted %d times, %v", aborted, err)
	}
}

func TestBeginFails(t *testing.T) {
	broken := errors.New("broken")
	w, err := New(context.Background(), local.NewMemStore(), Options{Begin: func(io.Writer) (Encoder, error) { return (*lines)(nil), broken }})
	if !errors.Is(err, broken) || w != nil {
		t.Errorf("%v, %v", w, err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w, err := New(ctx, local.NewMemStore(), Options{Begin: func(w io.Writer) (Encoder, error) { return &lines{w: w}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Write(rows(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
