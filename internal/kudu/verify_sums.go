package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
)

// CountChecksums implements arrowio.ChecksumCounter: each block is a CFile, in which all has checksums or nothing has. The
// write-ahead log always has them.
func (f *File) CountChecksums(ctx context.Context) (arrowio.Checksums, error) {
	sums := arrowio.Checksums{Unit: "block"}
	for _, t := range f.tablets {
		if t.blind {
			continue
		}
		for _, u := range t.super.Blocks() {
			r, closer, err := f.block(ctx, u.Block, "")
			if err != nil {
				return sums, err
			}
			sums.Parts++
			if r.Footer().Checksums {
				sums.With++
			}
			if err := closer.Close(); err != nil {
				return sums, err
			}
		}
	}
	return sums, nil
}

// CountChecksums implements arrowio.ChecksumCounter: the blocks of all tables that Verify has found to be without faults.
func (v *Overview) CountChecksums(context.Context) (arrowio.Checksums, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sums, nil
}

// addChecksums counts those of a table that is without faults.
func (v *Overview) addChecksums(ctx context.Context, f *File) error {
	n, err := f.CountChecksums(ctx)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sums.Parts, v.sums.With = v.sums.Parts+n.Parts, v.sums.With+n.With
	return nil
}
