package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kudu"
)

// Definition is what makes a table anew in a cluster.
type Definition struct {
	Tool   []byte   // JSON that `kudu table create` takes
	Ranges []string // commands of Kudu's tool for ranges with hashes of their own; MASTERS stands for the masters' addresses
	Impala string   // a CREATE TABLE of Impala
	Notes  []string // what is not as it was
}

// Define returns what makes the table that o names anew, as far as the superblocks of the tablets that are here tell. It reads no
// rows.
func Define(ctx context.Context, path string, limits arrowio.Limits, o Options) (*Definition, error) {
	d, err := kudu.Define(ctx, path, limits, o.own())
	if err != nil {
		return nil, err
	}
	return &Definition{Tool: d.Tool, Ranges: d.Ranges, Impala: d.Impala, Notes: d.Notes}, nil
}
