package cfilewire

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio"
)

// Head is what a block of values says of itself (docs/formats/cfile.md §4).
type Head struct {
	Count   uint32 // values stored: those that are not null
	Ordinal uint32 // of the block's first row, nulls counted
}

// Errors of blocks of values, returned as they are: the reader knows the column, the block and its offset.
var (
	errBlockHead    error = arrowio.Errorf(arrowio.ErrCorrupt, "block of values ends within its header")
	errBlockSize    error = arrowio.Errorf(arrowio.ErrCorrupt, "block is not as long as its values are")
	errBlockEnd     error = arrowio.Errorf(arrowio.ErrCorrupt, "block ends before its values do")
	errNullHead     error = arrowio.Errorf(arrowio.ErrCorrupt, "null bitmap does not fit its block")
	errRun          error = arrowio.Errorf(arrowio.ErrCorrupt, "run is not legal")
	errStringOffset error = arrowio.Errorf(arrowio.ErrCorrupt, "offset of a string is behind that of the next, or out of its block")
	errPrefix       error = arrowio.Errorf(arrowio.ErrCorrupt, "string shares more bytes than the one before has, or leads out of its block")
	errRestarts     error = arrowio.Errorf(arrowio.ErrCorrupt, "restart points are not those of the strings")
	errArrays       error = arrowio.Errorf(arrowio.ErrCorrupt, "parts of a block of arrays do not fit it")
	errDictMode     error = arrowio.Errorf(arrowio.ErrCorrupt, "block of dictionary codes has a mode that there is not")
	errRange        error = arrowio.Errorf(arrowio.ErrCorrupt, "value does not fit the type of the column")
	errCount        error = arrowio.Errorf(arrowio.ErrLimit, "block has more values than can be counted here")
	errBlockBytes   error = arrowio.Errorf(arrowio.ErrLimit, "strings of a block take more bytes than BlockBytes allows")
	errStringBytes  error = arrowio.Errorf(arrowio.ErrLimit, "strings do not fit the room that is left for them")
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
