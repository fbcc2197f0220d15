package kuduwire

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// The index of a write-ahead log: where in which segment each operation is. Entry i of the file index.00000000k is that of the
// operation with index k*LogIndexEntries+i; one that is all zeros was never written.
//
//	+----------+-------------+-----------+
//	| i64 term | u64 segment | u64 offset |
//	+----------+-------------+-----------+
//
// Kudu writes an entry when the operation is in the log, and never reads it to replay the log.
const (
	// LogIndexEntries is how many entries a file has.
	LogIndexEntries = 1_000_000
	// LogIndexEntrySize is the size of an entry.
	LogIndexEntrySize = 24

	logIndexPrefix = "index."
)

// LogIndexEntry says where an operation is.
type LogIndexEntry struct {
	Term    int64
	Segment uint64 // the number in the segment's header
	Offset  int64  // of the batch
}

// ParseLogIndexEntry parses the entry at the beginning of b; false = there is none, or it cannot be one.
func ParseLogIndexEntry(b []byte) (LogIndexEntry, bool) {
	term, segment, off := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	if term > math.MaxInt64 || off > math.MaxInt64 || segment == 0 || off < SegmentHeadSize {
		return LogIndexEntry{}, false
	}
	return LogIndexEntry{int64(term), segment, int64(off)}, true
}

// LogIndexNumber returns the number of a file of the index, by its name; false = it is none.
func LogIndexNumber(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, logIndexPrefix)
	if !ok || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n <= math.MaxInt64/LogIndexEntries-1
}
