package cfile

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// shownBytes is how much of a string an error shows.
const shownBytes = 40

// cellText is a cell of a key column for people.
func cellText(c *kuduwire.Column, cell []byte) string {
	if c.Type.Binary() {
		more := ""
		if len(cell) > shownBytes {
			cell, more = cell[:shownBytes], "…"
		}
		if c.Type == cfilewire.Binary || !utf8.Valid(cell) && more == "" {
			return fmt.Sprintf("0x%x%s", cell, more)
		}
		return strconv.Quote(string(cell)) + more
	}
	low, high := number(cell, c.Type.Signed())
	switch {
	case c.Type == cfilewire.Date:
		return time.Unix(int64(low)*24*60*60, 0).UTC().Format(time.DateOnly)
	case c.Type == cfilewire.UnixtimeMicros:
		return time.UnixMicro(int64(low)).UTC().Format(time.RFC3339Nano)
	case c.Type.Signed():
		return decimal128.New(int64(high), low).ToString(c.Scale)
	}
	return strconv.FormatUint(low, 10)
}

// number is a cell as one of 128 bits.
func number(cell []byte, signed bool) (low, high uint64) {
	var b [16]byte
	copy(b[:], cell)
	if signed && int8(cell[len(cell)-1]) < 0 {
		for i := len(cell); i < len(b); i++ {
			b[i] = 0xff
		}
	}
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}
