package dataset_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers"
)

// Files are read as a schema that is given: by name, to the case or not, by position, with defaults, and cast or not.
func TestShown(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	dataset.Put(t, filepath.Join(dir, "1.jsonl"), `{"id": 1, "Name": "a", "n": {"X": 5}}`+"\n")
	dataset.Put(t, filepath.Join(dir, "2.jsonl"), `{"n": {"X": 7}, "id": 2, "Name": "b"}`+"\n")
	for _, c := range []struct {
		schema, cast string
		by           view.Match
		want         string // rows, or an error
	}{
		{"struct<Name:string,id:bigint>", "", view.ByName, "a 1\nb 2\n"},
		{"struct<name:string,id:bigint>", "", view.ByName, "(null) 1\n(null) 2\n"},
		{"struct<name:string,n:struct<x:bigint>>", "", view.ByNameFold, "a {\"x\":5}\nb {\"x\":7}\n"},
		{"struct<id:string>", "", view.ByName, "1\n2\n"},
		{"struct<id:array<int>>", "", view.ByName, "id"},
		{"struct<id:string,z:int>", "java", view.ByName, "1 (null)\n2 (null)\n"},
		{"struct<Name:bigint>", "java", view.ByName, "(null)\n(null)\n"},
		{"struct<id:binary>", "java", view.ByName, "id"},
		{"struct<id:string>", "python", view.ByName, "python"},
		{`{"fields": [{"name": "z", "type": "utf8", "nullable": false, "default": "d"}, {"name": "id", "type": "int64"}]}`, "", view.ByName, "d 1\nd 2\n"},
		{`{"fields": [{"name": "n", "type": "struct", "fields": [{"name": "y", "type": "int64", "default": 9}]}]}`, "", view.ByName, "{\"y\":9}\n{\"y\":9}\n"},
		{`{"fields": [{"name": "z", "type": "int8", "default": "d"}]}`, "", view.ByName, "default"},
		{`{"fields": [{"name": "z", "type": "int8", "nullable": false}]}`, "", view.ByName, "never null"},
	} {
		schema, err := readers.ParseSchema(c.schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		cast, err := readers.Cast(c.cast)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			continue
		}
		d, err := readers.OpenDataset(ctx, []string{dir}, readers.Options{Schema: schema, Cast: cast, Match: c.by})
		if err != nil {
			if strings.Contains(c.want, "\n") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.schema, err)
			}
			continue
		}
		if got := dataset.RowsOf(t, d); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.schema, got, c.want)
		}
	}
	if _, err := readers.OpenDataset(ctx, []string{dir}, readers.Options{Match: view.ByNameFold}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}
