package parquet

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Every error of a damaged file tells where the damage is: an offset in the file, and the row group and column of what is
// read of one.
func TestErrorsHaveAPlace(t *testing.T) {
	rec := table(200)
	defer rec.Release()
	own := written(t, []arrow.Record{rec}, "none", map[string]string{"parquet-page-rows": "50", "parquet-page-index": "yes", "parquet-bloom": "id"})
	rng := rand.New(rand.NewSource(7))
	failed := 0
	files := map[string][]byte{"own": own}
	for _, name := range []string{"types.parquet", "nested.parquet", "codec_gzip.parquet"} {
		files[name] = fixture(t, name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b := files[name]
		for range 600 {
			d := bytes.Clone(b)
			at := rng.Intn(len(d))
			if rng.Intn(2) == 0 {
				at = max(0, len(d)-1-rng.Intn(2000))
			}
			switch rng.Intn(3) {
			case 0:
				d = d[:at]
			case 1:
				d[at] ^= 1 << rng.Intn(8)
			default:
				clear(d[at:min(len(d), at+rng.Intn(64))])
			}
			placed := func(doing string, err error, ofColumn bool) {
				if err == nil {
					return
				}
				failed++
				var e *errs.Error
				switch {
				case !errors.As(err, &e) || e.Format != "parquet":
					t.Errorf("%s: %s: %v is of no format", name, doing, err)
				case e.Off < 0 || e.Off > int64(len(d)):
					t.Errorf("%s: %s: %v (offset %d of %d)", name, doing, err, e.Off, len(d))
				case ofColumn && (e.Split < 0 || e.Column == "" && !errors.Is(err, errs.ErrLimit)):
					t.Errorf("%s: %s: %v (row group %d, column %q)", name, doing, err, e.Split, e.Column)
				}
			}
			f, err := openBytes(d, arrowio.Limits{})
			placed("open", err, false)
			if err != nil {
				continue
			}
			_, err = f.Info(context.Background(), arrowio.InfoOptions{Blocks: true, Checksums: true})
			placed("info", err, false)
			err = f.(arrowio.Verifier).Verify(context.Background(), func(err error) {
				at, _ := errs.Where(err)
				ofFile := at.Op == "footer" || strings.Contains(err.Error(), "the metadata of the file says")
				placed("fault", err, !ofFile)
			})
			placed("verify", err, false)
			recs, err := readAll(f, nil, 100, memory.DefaultAllocator)
			release(recs)
			placed("read", err, true)
		}
	}
	t.Logf("%d errors", failed)
}
