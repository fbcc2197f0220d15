package cfile

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// TestTrust: with cfile-verify=false rows come back that lie under a wrong checksum, of data, of an index and of a dictionary. Verify
// reports the checksum all the same.
func TestTrust(t *testing.T) {
	file := &built{typ: cfilewire.String, encoding: cfilewire.EncodingDict}
	for i := range 300 {
		file.rows = append(file.rows, []byte{'a' + byte(i%7)})
	}
	good := file.build(t)
	want, err := readDamaged(good, Options{}, memory.NewGoAllocator(), 100)
	if err != nil || len(want) != 300 {
		t.Fatal(len(want), err)
	}
	trusting, err := parseOptions(map[string]string{"cfile-verify": "false"})
	if err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]cfilewire.BlockPointer{"data": file.data[1], "index": file.pos[0], "dictionary": file.dict[0]} {
		bad := slices.Clone(good)
		bad[p.End()-1] ^= 1 // of the checksum
		if _, err := readDamaged(bad, Options{}, memory.NewGoAllocator(), 100); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v, want an error", what, err)
		}
		if got, err := readDamaged(bad, trusting, memory.NewGoAllocator(), 100); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: without a look at checksums: %d rows, %v", what, len(got), err)
		}
		f, err := Open(context.Background(), local.NewBytesSource(bad), arrowio.Limits{}, trusting)
		if err != nil {
			t.Fatal(err)
		}
		faults := 0
		if err := f.Verify(t.Context(), func(error) { faults++ }); err != nil || faults == 0 {
			t.Errorf("%s: verify finds %d faults, %v", what, faults, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
