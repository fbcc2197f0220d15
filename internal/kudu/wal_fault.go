package kudu

import (
	"errors"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// logFault is what is wrong at one place of a log. The error that ends a replay carries it, and every loss of a salvage has
// it, so that verify reports no fault twice.
type logFault struct {
	kind    faultKind
	segment string        // the name of the file; "" if the fault is that of an operation
	off     int64         // of the batch in the segment; 0 if the fault is that of the segment as a whole
	op      kuduwire.OpID // the operation; zero if the fault is that of a segment or a batch
}

type faultKind uint8

// Faults of segments and batches.
const (
	badHeader   faultKind = iota + 1
	badOwner              // the segment is of another tablet's log
	badSequence           // the segment does not follow the one before it
	badBatch              // bytes that cannot be read
	badIndex              // the first operation in the batch does not follow the one before it
	behindEnd             // operations that were behind what can be read of the log
)

// Faults of operations.
const (
	badOp       faultKind = iota + 16 // any other than those below; a text says which
	noRow                             // it changes a row that is not there
	rowLive                           // it inserts a row that is there already
	unknownType                       // its type is not known
	indexTwice                        // its index was committed before
	behindGap                         // it follows a gap in the log
	noRequest                         // the log has its COMMIT, but not the operation
)

// text says of one operation, or of several, what is wrong with it.
func (k faultKind) text(several bool) string {
	one, more := "", ""
	switch k {
	case noRow:
		one, more = "it changes a row that is not there", "they change rows that are not there"
	case rowLive:
		one, more = "it inserts a row that is there already", "they insert rows that are there already"
	case unknownType:
		one, more = "its type is not known", "their types are not known"
	case indexTwice:
		one, more = "its index was committed before", "their indices were committed before"
	case behindGap:
		one, more = "it follows a gap in the log", "they follow a gap in the log"
	case noRequest:
		one, more = "the log has its COMMIT, but not the operation", "the log has their COMMITs, but not the operations"
	}
	if several {
		return more
	}
	return one
}

// faultError is an error that a fault has caused.
type faultError struct {
	logFault
	error
}

func (e *faultError) Unwrap() error { return e.error }

// withFault adds a fault to an error. It does not change the text.
func withFault(err error, f logFault) error {
	return reword(err, func(cause error) error { return &faultError{f, cause} })
}

// faultOf returns the fault of an error; it is zero if the error has none.
func faultOf(err error) logFault {
	if e := (*faultError)(nil); errors.As(err, &e) {
		return e.logFault
	}
	return logFault{}
}
