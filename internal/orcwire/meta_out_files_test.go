package orcwire

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// eachMessage gives each metadata message of a file to f, decompressed, and what becomes of it when it is read and
// written again.
func eachMessage(t *testing.T, path string, f func(what string, stored, again []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return // a table without rows, to Java
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	end := len(b) - 1 - int(b[len(b)-1])
	ps, err := ParsePostScript(b[end : len(b)-1])
	must(err)
	f("postscript", b[end:len(b)-1], AppendPostScript(nil, ps))
	foot := end - int(ps.FooterLength)
	raw := unpackMessage(t, ps, b[foot:end])
	footer, err := ParseFooter(raw, errs.Limits{})
	must(err)
	f("footer", raw, AppendFooter(nil, footer))
	stats := func(b []byte) {
		s, err := ParseColumnStats(b)
		must(err)
		f("statistics", b, AppendColumnStats(nil, &s))
		if one := StatsOf([]*ColumnStats{nil, &s, nil}); one.Len() != 3 || !bytes.Equal(one.b[2:len(one.b)-2], AppendFileStats(nil, StatsOf([]*ColumnStats{&s}))) {
			t.Error("statistics are not listed as they are")
		}
	}
	for b := range footer.Stats.all() {
		stats(b)
	}
	raw = unpackMessage(t, ps, b[foot-int(ps.MetadataLength):foot])
	lists, err := ParseMetadata(raw, errs.Limits{})
	must(err)
	f("metadata", raw, AppendMetadata(nil, lists))
	for _, l := range lists {
		for b := range l.all() {
			stats(b)
		}
	}
	for i := range footer.Stripes {
		s := &footer.Stripes[i]
		data := s.IndexLength + s.DataLength
		raw := unpackMessage(t, ps, b[s.Offset+data:s.End()])
		sf, err := ParseStripeFooter(raw, len(footer.Types), data)
		must(err)
		f("stripe footer", raw, AppendStripeFooter(nil, sf))
		for _, x := range sf.Streams {
			stored := b[s.Offset+x.Offset : s.Offset+x.Offset+x.Length]
			switch x.Kind {
			case RowIndex:
				raw := unpackMessage(t, ps, stored)
				r, err := ParseRowIndex(raw, len(raw))
				must(err)
				f("row index", raw, AppendRowIndex(nil, r))
				for i := range r {
					stats(r[i].Stats)
				}
			case BloomFilterOriginal, BloomFilterUTF8:
				raw := unpackMessage(t, ps, stored)
				r, err := ParseBloomIndex(raw, len(raw))
				must(err)
				f("stream "+x.Kind.String(), raw, AppendBloomIndex(nil, r))
			}
		}
	}
}

func orcFiles(t *testing.T, dir string, f func(t *testing.T, path string)) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".orc") {
			t.Run(filepath.ToSlash(path), func(t *testing.T) { f(t, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// All that Java writes is written with the same bytes again, but for bloom filters of the original form, which become
// those of the other.
func TestJavaBytes(t *testing.T) {
	seen := map[string]int{}
	orcFiles(t, "../../testdata/orc/java-2.3.1", func(t *testing.T, path string) {
		eachMessage(t, path, func(what string, stored, again []byte) {
			seen[what]++
			if what == "stream BLOOM_FILTER" {
				was, err := ParseBloomIndex(stored, len(stored))
				is, err2 := ParseBloomIndex(again, len(again))
				if err != nil || err2 != nil || !reflect.DeepEqual(was, is) {
					t.Errorf("%s: %v, %v", what, err, err2)
				}
			} else if !bytes.Equal(stored, again) {
				t.Errorf("%s: % x, want % x", what, again, stored)
			}
		})
	})
	for _, what := range []string{"postscript", "footer", "metadata", "statistics", "stripe footer", "row index", "stream BLOOM_FILTER", "stream BLOOM_FILTER_UTF8"} {
		if seen[what] == 0 {
			t.Errorf("no %s was seen", what)
		}
	}
}

// What others write, in other orders and with fields of their own, is written in one form, which stays.
func TestForeignBytes(t *testing.T) {
	for _, dir := range []string{"foreign", "pyarrow-26.0.1"} {
		orcFiles(t, "../../testdata/orc/"+dir, func(t *testing.T, path string) {
			eachMessage(t, path, func(what string, stored, again []byte) {
				switch what {
				case "postscript":
					was, err := ParsePostScript(stored)
					is, err2 := ParsePostScript(again)
					if was.Compression == CompressionNone {
						was.BlockSize = is.BlockSize // which nobody needs
					}
					if err != nil || err2 != nil || !reflect.DeepEqual(was, is) {
						t.Errorf("%+v, %v; want %+v, %v", is, err2, was, err)
					}
				case "footer":
					was, is := mustFooter(t, stored), mustFooter(t, again)
					if was.Stats.Len() != is.Stats.Len() {
						t.Error(is.Stats.Len())
					}
					was.Stats, is.Stats = StatsList{}, StatsList{}
					if !reflect.DeepEqual(was, is) {
						t.Errorf("%+v, want %+v", is, was)
					}
				case "statistics":
					was, err := ParseColumnStats(stored)
					is, err2 := ParseColumnStats(again)
					if was.Double != nil && bytes.Equal(stored, again) {
						break // NaN is not equal to itself
					}
					if err != nil || err2 != nil || !reflect.DeepEqual(was, is) {
						t.Errorf("%+v, %v; want %+v, %v", is, err2, was, err)
					}
				case "stripe footer":
					was, err := parseAnyStripeFooter(stored, len(stored))
					is, err2 := parseAnyStripeFooter(again, len(stored))
					if err != nil || err2 != nil || !reflect.DeepEqual(was, is) {
						t.Errorf("%+v, %v; want %+v, %v", is, err2, was, err)
					}
				default:
					if !bytes.Equal(stored, again) && path != "../../testdata/orc/foreign/fields-unknown.orc" {
						t.Errorf("%s: % x, want % x", what, again, stored)
					}
				}
			})
		})
	}
}

// parseAnyStripeFooter reads a stripe footer with as many encodings as there are, up to most.
func parseAnyStripeFooter(b []byte, most int) (f *StripeFooter, err error) {
	for types := 1; types <= most; types++ {
		if f, err = ParseStripeFooter(b, types, 1<<62); err == nil {
			return f, nil
		}
	}
	return nil, err
}
