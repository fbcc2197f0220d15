package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
)

// readFooter reads FileMetaData from the end of a file, before anybody interprets it:
//
//	"PAR1", column chunks, FileMetaData, uint32 its length, "PAR1"
func readFooter(ctx context.Context, src arrowio.Source, limits arrowio.Limits) ([]byte, error) {
	var tail [8]byte
	end := src.Size() - 8
	if end < 4 {
		return nil, corrupt("%d bytes are too few for a file", src.Size())
	}
	if err := readAt(ctx, src, tail[:], end); err != nil {
		return nil, err
	}
	switch {
	case bytes.Equal(tail[4:], []byte(magicEncrypted)):
		return nil, errs.Errorf(errs.ErrUnsupported, "the file is encrypted, its metadata too; encrypted Parquet files cannot be read")
	case !bytes.Equal(tail[4:], []byte(magic)):
		return nil, corrupt("the file does not end with %s: it was cut off, or is still being written; copy it again when it is complete", magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case n == 0 || n > end-4:
		return nil, corrupt("a footer of %d bytes in a file of %d", n, src.Size())
	case n > limits.MetadataBytes:
		return nil, errs.Errorf(errs.ErrLimit, "a footer of %d bytes (Limits.MetadataBytes)", n)
	}
	b := make([]byte, n)
	if err := readAt(ctx, src, b, end-n); err != nil {
		return nil, err
	}
	return b, nil
}

func readAt(ctx context.Context, src arrowio.Source, dst []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := src.ReadAt(dst, off)
	if n == len(dst) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

// damaged makes ErrCorrupt of an error of package decode, and of kernels, which have no kinds.
func damaged(err error) error {
	var e *errs.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return corrupt("%w", err)
}

// budgetTimes is how many times Limits.MetadataBytes the structures of a footer may take.
const budgetTimes = 8

// parseFooter parses a footer whose first byte is at off.
func parseFooter(b []byte, off int64, limits arrowio.Limits) (*decode.Footer, error) {
	f, at, err := decode.ParseFooter(b, budgetTimes*limits.MetadataBytes)
	switch {
	case errors.Is(err, decode.ErrBudget):
		return nil, errs.Errorf(errs.ErrLimit, "%w (Limits.MetadataBytes)", err)
	case err != nil:
		return nil, errs.Locate(corrupt("%w", err), errs.At{Off: errs.N(off + int64(at))})
	}
	return f, nil
}
