package orc

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Merged, the statistics of the stripes that Java wrote are those that Java wrote of the file.
func TestMergedStatsLikeJava(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/orc/java-2.3.1/*.orc")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	columns := map[orcwire.Kind]int{}
	for _, path := range paths {
		f, err := Open(context.Background(), local.NewBytesSource(fixtures.Read(t, path)), arrowio.Limits{}, Options{})
		if err != nil || len(f.footer.Stripes) < 2 {
			continue
		}
		for id, typ := range f.footer.Types {
			want, err := f.footer.Stats.At(id)
			if err != nil {
				t.Fatal(path, err)
			}
			var got orcwire.ColumnStats
			wrong := false // Java counts the children of the stripe before, if a stripe has no values
			for i := range f.footer.Stripes {
				list, err := f.stripeStats(context.Background(), i)
				if err != nil {
					t.Fatal(path, err)
				}
				s, err := list.At(id)
				if err != nil {
					t.Fatal(path, err)
				}
				if c := s.Collection; c != nil && s.Values == 0 && c.TotalChildren != nil && *c.TotalChildren > 0 {
					wrong = true
				}
				if i == 0 {
					got = s
				} else {
					orcwire.MergeStats(&got, &s)
				}
			}
			columns[typ.Kind]++
			if wrong && want.Collection != nil && got.Collection != nil {
				got.Collection.TotalChildren = want.Collection.TotalChildren
			}
			if !bytes.Equal(orcwire.AppendColumnStats(nil, &got), orcwire.AppendColumnStats(nil, &want)) {
				t.Errorf("%s, type %d, %s: %s, want %s", path, id, typ, orcwire.AppendColumnStats(nil, &got), orcwire.AppendColumnStats(nil, &want))
			}
		}
	}
	for _, kind := range []orcwire.Kind{
		orcwire.Boolean, orcwire.Int, orcwire.Double, orcwire.String, orcwire.Binary, orcwire.Timestamp, orcwire.List, orcwire.Map, orcwire.Decimal,
		orcwire.Date, orcwire.TimestampInstant,
	} {
		if columns[kind] == 0 {
			t.Errorf("no file of several stripes has a column of type %s", kind)
		}
	}
}
