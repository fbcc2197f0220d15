package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// The first scan of a dataset that was opened with Again asks for no file that opening gave whole; what it reads is what was there then.
func TestAgain(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	var want strings.Builder
	put := func(add int) {
		for i := range 20 {
			s.Put(t, fmt.Sprintf("t/%02d.csv", i), fmt.Appendf(nil, "x\n%d\n", i+add))
		}
	}
	put(0)
	for i := range 20 {
		fmt.Fprintf(&want, "%d\n", i)
	}
	for _, c := range []struct {
		again   *Again
		changes bool
	}{
		{nil, false},
		{NewAgain(), false},
		{NewAgain(), true},
	} {
		put(0)
		o.Again = c.again
		d := openTable(t, o, bucketURL+"t/")
		s.Requests()
		if c.changes {
			put(100)
		}
		if got := scanRows(t, d, arrowio.ScanOptions{}); got != want.String() {
			t.Errorf("%+v: rows %q", c, got)
		}
		if n := len(s.Requests()); (n == 0) != (c.again != nil) {
			t.Errorf("%+v: %d requests", c, n)
		}
		put(0)
		if got := scanRows(t, d, arrowio.ScanOptions{}); got != want.String() {
			t.Errorf("%+v: a second scan has rows %q", c, got)
		}
		if n := len(s.Requests()); n < 20 {
			t.Errorf("%+v: %d requests of a second scan", c, n)
		}
		if c.again != nil && c.again.left != againBytes {
			t.Errorf("%+v: %d bytes are held", c, againBytes-c.again.left)
		}
	}
}

// What is held is bounded, and only whole files are held.
func TestAgainBounds(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	o.Again = NewAgain()
	o.Again.left = 100
	for name, n := range map[string]int{"a": 60, "b": 60, "large": 70_000} {
		s.Put(t, name+".csv", []byte("x\n"+strings.Repeat("1\n", n/2-1)))
	}
	open := func(name string) int {
		s.Requests()
		src, err := o.source(t.Context(), bucketURL+name+".csv")
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		return len(s.Requests())
	}
	for _, c := range []struct {
		name string
		want int
	}{
		{"a", 1},
		{"b", 1},
		{"large", 1},
		{"a", 0},
		{"b", 1},
		{"large", 1}, // there was room for a
		{"a", 1},
		{"b", 1},
	} {
		if n := open(c.name); n != c.want {
			t.Errorf("%s: %d requests, want %d", c.name, n, c.want)
		}
	}
	if o.Again.left != 100 {
		t.Errorf("%d bytes are left", o.Again.left)
	}
}
