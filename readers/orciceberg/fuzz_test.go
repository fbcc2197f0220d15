package orciceberg_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// FuzzOpen reads any file under any schema, less what any file deletes.
func FuzzOpen(f *testing.F) {
	data := file(f, nil, column{"id", "long-type=LONG", 1, i64, `[0, 1, 2]`, false}, column{"u", "binary-type=UUID", 2, bin, `[null, "AAECAwQFBgcICQoLDA0ODw==", null]`, false})
	both := schema(optional(1, "id", `"long"`), optional(2, "u", `"uuid"`))
	f.Add(data, positions(f, []string{"/d", "/d"}, []int{0, 2}), both)
	f.Add(data, file(f, nil, column{"id", "", 1, i64, `[1]`, false}), both)
	f.Add(data, data, schema(required(2, "x", `"fixed[16]"`)))
	f.Fuzz(func(t *testing.T, data, deletes []byte, schema string) {
		if len(schema) == 0 || schema[0] != '{' {
			return // the name of a file
		}
		dir := t.TempDir()
		write(t, dir, map[string][]byte{"deletes.orc": deletes})
		in, err := openBytes(data, "/d", map[string]string{"orc-iceberg-schema": schema, "orc-deletes": filepath.Join(dir, "deletes.orc"), "orc-delete-events": "1000"})
		if err == nil {
			if splits := in.Splits(); len(splits) > 0 && splits[len(splits)-1].Rows.End > 1e5 {
				return
			}
			_, err = rowsOf(t, in, arrowio.ScanOptions{})
		}
		if errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
	})
}
