package cfilewire

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Head is what a block of values says of itself (docs/formats/cfile.md §4).
type Head struct {
	Count   uint32 // values stored: those that are not null
	Ordinal uint32 // of the block's first row, nulls counted
}

// Errors of blocks of values, returned as they are: the reader knows the column, the block and its offset.
var (
	errBlockHead    error = errs.Errorf(errs.ErrCorrupt, "block of values ends within its header")
	errBlockSize    error = errs.Errorf(errs.ErrCorrupt, "block is not as long as its values are")
	errBlockEnd     error = errs.Errorf(errs.ErrCorrupt, "block ends before its values do")
	errNullHead     error = errs.Errorf(errs.ErrCorrupt, "null bitmap does not fit its block")
	errRun          error = errs.Errorf(errs.ErrCorrupt, "run is not legal")
	errStringOffset error = errs.Errorf(errs.ErrCorrupt, "the offset of a string is after the next offset, or outside its block")
	errPrefix       error = errs.Errorf(errs.ErrCorrupt, "string shares more bytes than the one before has, or leads out of its block")
	errRestarts     error = errs.Errorf(errs.ErrCorrupt, "restart points are not those of the strings")
	errArrays       error = errs.Errorf(errs.ErrCorrupt, "parts of a block of arrays do not fit it")
	errDictMode     error = errs.Errorf(errs.ErrCorrupt, "block of dictionary codes has a mode that there is not")
	errRange        error = errs.Errorf(errs.ErrCorrupt, "value does not fit the type of the column")
	errCount        error = errs.Errorf(errs.ErrLimit, "block has more values than can be counted here")
	errBlockBytes   error = errs.Errorf(errs.ErrLimit, "strings of a block take more bytes than BlockBytes allows")
	errStringBytes  error = errs.Errorf(errs.ErrLimit, "strings do not fit the room that is left for them")
)

// headBytes is the size of the header of PLAIN values of fixed width and of RLE.
const headBytes = 8

// openHead reads the header `count u32, ordinal u32` of PLAIN values of fixed width, and of RLE (§4.1, §4.5).
func openHead(b []byte) (h Head, rest []byte, err error) {
	if len(b) < headBytes {
		return h, nil, errBlockHead
	}
	h = Head{Count: binary.LittleEndian.Uint32(b), Ordinal: binary.LittleEndian.Uint32(b[4:])}
	return h, b[headBytes:], nil
}
