package parquet

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

var fixtureNames = []string{
	"codec_brotli.parquet", "codec_gzip.parquet", "codec_lz4.parquet", "codec_none.parquet", "codec_snappy.parquet", "codec_zstd.parquet",
	"groups.parquet", "nested.parquet", "plain.parquet", "types.parquet",
}

// Of joined files the last is read, and nothing of the others; that is told, and is the only fault.
func TestJoined(t *testing.T) {
	for _, name := range fixtureNames {
		last := fixture(t, name)
		alone := mustOpen(t, name)
		if doubts := alone.(*parquetFile).Doubts(); len(doubts) > 0 {
			t.Errorf("%s: %v", name, doubts)
		}
		before := len(reported(t, alone))
		for _, first := range [][]byte{last, fixture(t, "types.parquet"), slices.Concat(fixture(t, "plain.parquet"), fixture(t, "codec_zstd.parquet"))} {
			f, err := openBytes(slices.Concat(first, last), arrowio.Limits{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			sameRows(t, name, f, alone)
			var e *errs.Error
			if w := arrowio.WarningsOf(f); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt {
				t.Errorf("%s: warnings %v", name, w)
			}
			faults := reported(t, f)
			if len(faults) != before+1 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Off != int64(len(first)) {
				t.Errorf("%s: faults %v", name, faults)
			}
		}
	}
}

// reported returns what Verify reports, with or without a column.
func reported(t *testing.T, f arrowio.File) (faults []error) {
	t.Helper()
	if err := f.(arrowio.Verifier).Verify(t.Context(), func(err error) { faults = append(faults, err) }); err != nil {
		t.Fatal(err)
	}
	return faults
}

// sameRows compares the rows of two files.
func sameRows(t *testing.T, name string, a, b arrowio.File) {
	t.Helper()
	mem := checked(t)
	got, err := readAll(a, nil, 1000, mem)
	defer release(got)
	want, wantErr := readAll(b, nil, 1000, mem)
	defer release(want)
	if err != nil || wantErr != nil || len(got) != len(want) {
		t.Errorf("%s: %d batches, %v, want %d, %v", name, len(got), err, len(want), wantErr)
		return
	}
	for i := range got {
		if err := conformance.Equal(got[i], want[i]); err != nil {
			t.Errorf("%s, batch %d: %v", name, i, err)
		}
	}
}

// A flipped bit that makes a column chunk encrypted is a fault: the file names no algorithm.
func TestEncryptedByDamage(t *testing.T) {
	whole := fixture(t, "types.parquet")
	end := len(whole) - 8
	found := 0
	for at := end - int(binary.LittleEndian.Uint32(whole[end:])); at < end; at++ {
		for bit := 4; bit < 8 && whole[at]&15 == 12; bit++ { // a structure, and by how much the number of its field is higher
			b := slices.Clone(whole)
			b[at] ^= 1 << bit
			f, err := openBytes(b, arrowio.Limits{})
			if err != nil || !slices.ContainsFunc(f.(*parquetFile).footer.Groups, hasEncrypted) {
				continue
			}
			found++
			if faults := reported(t, f); len(faults) == 0 {
				t.Errorf("bit %d of byte %d: no fault", bit, at)
			}
		}
	}
	if found == 0 {
		t.Error("no bit does it")
	}
}

func hasEncrypted(g decode.RowGroup) bool {
	return g.Rows > 0 && slices.ContainsFunc(g.Chunks, func(c decode.Chunk) bool { return c.Encrypted })
}
