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

// A file that is named is asked for once, also where it is found, and others are found as without Again.
func TestAgainNamed(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	s.Put(t, "f.csv", []byte("x\n1\n"))
	s.Put(t, "d.csv/f.csv", []byte("x\n2\n"))
	for _, c := range []struct {
		path, rows string
		most       int // requests
	}{
		{"f.csv", "1\n", 1},
		{"d.csv", "2\n", 5},
		{"d.csv/", "2\n", 3},
		{"*.csv", "2\n1\n", 8},
	} {
		s.Requests()
		o.Again = NewAgain()
		d := openTable(t, o, bucketURL+c.path)
		if got := scanRows(t, d, arrowio.ScanOptions{}); got != c.rows {
			t.Errorf("%s: rows %q, want %q", c.path, got, c.rows)
		}
		if r := s.Requests(); len(r) > c.most {
			t.Errorf("%s: %d requests, want %d at most: %v", c.path, len(r), c.most, r)
		}
		if o.Again.left != againBytes {
			t.Errorf("%s: %d bytes are held", c.path, againBytes-o.Again.left)
		}
	}
	var texts []string
	for _, again := range []*Again{nil, NewAgain()} {
		o.Again = again
		_, err := OpenAll(t.Context(), []string{bucketURL + "none.csv"}, o)
		texts = append(texts, fmt.Sprint(err))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "none.csv") {
		t.Errorf("errors %q", texts)
	}
}

// What is held is bounded.
func TestAgainBounds(t *testing.T) {
	s := s3fake.New(t)
	o := s3Options(t, s)
	o.Again = NewAgain()
	o.Again.left = 100
	for name, n := range map[string]int{"a": 60, "b": 60, "large": 70_000} { // of which 64 KiB would be held
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
