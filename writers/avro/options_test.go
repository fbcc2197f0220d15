package avro_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/writers/avro"
)

// TestOptions: what cannot be is refused before anything is written, with the word that was given.
func TestOptions(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for _, c := range []struct {
		o    arrowio.WriteOptions
		says string // "" = it is taken
	}{
		{arrowio.WriteOptions{RowGroupBytes: 32 << 20}, ""},
		{arrowio.WriteOptions{RowGroupBytes: 32<<20 + 1}, "--row-group-bytes is 33554433 bytes, and a block of an Avro file is written with 33554432 at most"},
		{arrowio.WriteOptions{Compression: "null"}, ""},
		{arrowio.WriteOptions{Compression: "zstandard:3"}, ""},
		{arrowio.WriteOptions{Compression: "zstandard:99"}, `"zstandard:99": the levels of zstandard are 1 to 22`},
		{arrowio.WriteOptions{Compression: "zlib"}, `"zlib" is not one of none, deflate, snappy, zstd`},
		{arrowio.WriteOptions{Compression: "bzip2"}, "bzip2 is read, not written"},
	} {
		_, err := avro.Format().Plan(s, c.o)
		if c.says == "" && err == nil {
			continue
		}
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
