package rocks

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

const (
	logBlock    = 32 << 10
	logHead     = 7
	wholeRecord = 1
	firstPart   = 2
	middlePart  = 3
	lastPart    = 4
)

// errTorn says that a log ends within a record, or in zeros: its writer was stopped.
var errTorn = errors.New("the log ends within a record")

// logReader reads the records of a log.
type logReader struct {
	src   arrowio.Source
	limit int64
	off   int64  // of the next block
	block []byte // what is left of the present one
	buf   [logBlock]byte
	rec   []byte
}

// next returns the next record, which is valid until the next call; io.EOF behind the last, errTorn where the log was not finished.
func (l *logReader) next() ([]byte, error) {
	l.rec = l.rec[:0]
	inside := false
	for {
		typ, part, err := l.part()
		if err == io.EOF && inside {
			err = errTorn
		}
		if err != nil {
			return nil, err
		}
		if inside != (typ == middlePart || typ == lastPart) {
			return nil, corrupt("the parts of a record do not follow each other")
		}
		if typ == wholeRecord {
			return part, nil
		}
		if int64(len(l.rec)+len(part)) > l.limit {
			return nil, errs.Errorf(errs.ErrLimit, "a record of more than %d bytes (BlockBytes)", l.limit)
		}
		l.rec = append(l.rec, part...)
		inside = typ != lastPart
		if !inside {
			return l.rec, nil
		}
	}
}

// part returns a part of a record.
func (l *logReader) part() (byte, []byte, error) {
	for len(l.block) < logHead {
		if l.off >= l.src.Size() {
			if len(l.block) > 0 && l.off%logBlock != 0 {
				return 0, nil, errTorn
			}
			return 0, nil, io.EOF
		}
		b := l.buf[:min(logBlock, l.src.Size()-l.off)]
		if n, err := l.src.ReadAt(b, l.off); n < len(b) {
			return 0, nil, err
		}
		l.block, l.off = b, l.off+int64(len(b))
	}
	head := l.block[:logHead]
	n, typ := int(binary.LittleEndian.Uint16(head[4:])), head[6]
	last := l.off >= l.src.Size()
	switch {
	case typ == 0 && n == 0:
		return 0, nil, errTorn // space that was set aside
	case n > len(l.block)-logHead && last:
		return 0, nil, errTorn
	case n > len(l.block)-logHead:
		return 0, nil, corrupt("a part of %d bytes does not fit its block", n)
	}
	part := l.block[logHead : logHead+n]
	switch {
	case sum(head[6:], part) != binary.LittleEndian.Uint32(head):
		if last && n == len(l.block)-logHead {
			return 0, nil, errTorn
		}
		return 0, nil, corrupt("wrong checksum before byte %d", l.off-int64(len(l.block)-logHead-n))
	case typ > lastPart:
		return 0, nil, unsupported("records of type %d in a log", typ)
	}
	l.block = l.block[logHead+n:]
	return typ, part, nil
}

// Kinds of entries.
const (
	kindDelete       = 0
	kindPut          = 1
	kindMerge        = 2
	kindLogData      = 3
	kindDeleteIn     = 4 // of another column family than the default one
	kindPutIn        = 5
	kindSingleDelete = 7
	kindSingleIn     = 8
	kindNoop         = 13
)

// batch calls take for the entries of a record of a write-ahead log.
func batch(b []byte, take func(Entry) error) error {
	s := scanner{b: b}
	seq, count := s.u64(), s.u32()
	for len(s.b) > 0 {
		kind := s.bytes(1)[0]
		var e Entry
		family := uint64(0)
		switch kind {
		case kindLogData:
			s.text()
			continue
		case kindNoop:
			continue
		case kindPutIn, kindDeleteIn, kindSingleIn:
			family = s.varint()
			e.Key = s.text()
		case kindPut, kindDelete, kindSingleDelete:
			e.Key = s.text()
		default:
			return unsupported("entries of kind %d in a log", kind)
		}
		if kind == kindPut || kind == kindPutIn {
			e.Value = s.text()
		} else {
			e.Deleted = true
		}
		e.Seq = seq
		if seq++; s.bad {
			break
		}
		if count--; family != 0 {
			continue
		}
		if err := take(e); err != nil {
			return err
		}
	}
	if s.bad || count != 0 {
		return corrupt("a batch does not have the entries that it says")
	}
	return nil
}
