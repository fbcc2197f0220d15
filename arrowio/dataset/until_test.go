package dataset

import (
	"context"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/internal/remote"
)

// Opening a file of a store ends with its context, also where a read has none.
func TestOpeningEnds(t *testing.T) {
	for _, name := range []string{"x.orc", "x.parquet", "x.trv", "x.csv", "x.jsonl", "x.avro", "x.cfile", "x.arrow", "x"} {
		ctx, cancel := context.WithCancel(t.Context())
		src := remote.NewSource(remote.NewHost(0), remote.File{Name: "far://" + name, Size: 1000, Fetch: func(own context.Context, _ []byte, _ int64) error {
			cancel()
			<-own.Done()
			return own.Err()
		}})
		if f, err := OpenOwned(ctx, src, name, Options{Formats: formats()}); f != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// What has been opened when the context ends is closed, since its source is.
func TestOpenedTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src := remote.NewSource(remote.NewHost(0), remote.File{Name: "far://x.csv", Size: 4, Fetch: func(_ context.Context, dst []byte, off int64) error {
		cancel()
		copy(dst, "x\n1\n"[off:])
		return nil
	}})
	if f, err := OpenOwned(ctx, src, "x.csv", Options{Formats: formats()}); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}
}
