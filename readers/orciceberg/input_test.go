package orciceberg_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
	"github.com/arrowio/arrowio/readers/orciceberg"
)

// TestDeletesAreNoInput refuses files of deletes where rows are wanted, and whole tables: their rows are not the table's.
func TestDeletesAreNoInput(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"data", "metadata"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	data, at := filepath.Join(dir, "data"), func(name string) string { return filepath.Join(dir, "data", name) }
	five := numbers(5, func(i int) int { return i })
	write(t, data, map[string][]byte{
		"rows.orc":      file(t, nil, column{"id", "", 1, i64, five, false}),
		"positions.orc": positions(t, []string{at("rows.orc"), at("rows.orc")}, []int{1, 3}),
		"values.orc":    file(t, map[string]string{"orc.delete-type": "equality", "orc.delete-field-ids": "1"}, column{"id", "", 1, i64, "[4]", false}),
		// As writers do that leave no metadata: its columns tell.
		"ids.orc": file(t, nil, column{"file_path", "", 2147483546, utf8, `["x"]`, true}, column{"pos", "", 2147483545, i64, "[0]", true}),
	})
	write(t, filepath.Join(dir, "metadata"), map[string][]byte{"v1.metadata.json": []byte("{}")})
	deletes := strings.Join([]string{at("positions.orc"), at("values.orc"), at("ids.orc")}, "\n")
	table, deletesSchema := filepath.Join(dir, "schema.json"), filepath.Join(dir, "deletes.json")
	write(t, dir, map[string][]byte{"deletes.json": []byte(`{"type": "struct", "fields": [
		{"id": 2147483546, "name": "file_path", "required": true, "type": "string"}, {"id": 2147483545, "name": "pos", "required": true, "type": "long"}]}`)})
	write(t, dir, map[string][]byte{"schema.json": []byte(`{"type": "struct", "fields": [{"id": 1, "name": "id", "required": false, "type": "long"}]}`)})

	for _, c := range []struct {
		name    string
		paths   []string
		format  string
		options map[string]string
		rows    int // -1 = errs.ErrUnsupported
	}{
		{"a file", []string{at("rows.orc")}, "", nil, 5},
		{"the table", []string{dir}, "", nil, -1},
		{"the table, below another directory", []string{filepath.Dir(dir)}, "", nil, -1},
		{"the directory", []string{data}, "", nil, -1},
		{"the directory, of a format", []string{data}, orc.Name, nil, -1},
		{"a pattern", []string{at("*.orc")}, "", nil, -1},
		{"positions", []string{at("positions.orc")}, "", nil, 2},
		{"values", []string{at("values.orc")}, "", nil, 1},
		{"ids", []string{at("ids.orc")}, "", nil, 1},
		{"positions, named", []string{at("positions.orc")}, orc.Name, nil, 2},
		{"two, named", []string{at("rows.orc"), at("values.orc")}, orc.Name, nil, -1},
		{"deletes of a schema", []string{at("ids.orc")}, orc.Name, map[string]string{"orc-iceberg-schema": table}, -1},
		{"deletes under their schema", []string{at("ids.orc")}, orc.Name, map[string]string{"orc-iceberg-schema": deletesSchema}, 1},
		{"deletes apply to the directory", []string{data}, "", map[string]string{"orc-deletes": deletes, "orc-iceberg-schema": table}, 2},
		{"deletes apply to the table, of a format", []string{dir}, orc.Name, map[string]string{"orc-deletes": deletes, "orc-iceberg-schema": table}, 2},
	} {
		o := dataset.Options{Formats: []arrowio.Format{orciceberg.Format(orc.Format())}, Format: c.format, Options: c.options}
		told := ""
		o.Warn = func(w arrowio.Warning) { told += w.String() }
		rows, err := count(t.Context(), c.paths, o)
		if lone := len(c.paths) == 1 && c.format == "" && c.paths[0] != at("rows.orc") && c.rows > 0 && c.options == nil; lone != strings.Contains(told, "deleted rows") {
			t.Errorf("%s: warned of %q", c.name, told)
		}
		if c.rows < 0 && !errors.Is(err, errs.ErrUnsupported) || c.rows >= 0 && (err != nil || rows != c.rows) {
			t.Errorf("%s: %d rows, %v; want %d", c.name, rows, err, c.rows)
		}
	}
}

func count(ctx context.Context, paths []string, o dataset.Options) (n int, err error) {
	d, err := dataset.OpenAll(ctx, paths, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	s, err := d.Scan(ctx, arrowio.ScanOptions{})
	if err != nil {
		return 0, err
	}
	defer s.Release()
	for s.Next() {
		n += int(s.Record().NumRows())
	}
	return n, s.Err()
}
