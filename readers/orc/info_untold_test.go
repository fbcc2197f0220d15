package orc

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// A file that does not tell its version and its writer is not said to have any.
func TestInfoOfNoTail(t *testing.T) {
	i := info(t, showBytes(t, nil, Options{}), arrowio.InfoOptions{Blocks: true, Groups: true})
	if i.Version != "" || i.Writer != "" || len(i.Facts) > 0 || len(i.Columns) > 0 || len(i.Notes) != 1 || i.Rows != 0 || i.Bytes != 0 {
		t.Errorf("a file of no bytes: %+v", i)
	}
}
