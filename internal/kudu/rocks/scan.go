package rocks

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of bytes as RocksDB stores it.
func sum(parts ...[]byte) uint32 {
	c := uint32(0)
	for _, p := range parts {
		c = crc32.Update(c, castagnoli, p)
	}
	return (c>>15 | c<<17) + 0xa282ead8
}

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }

func unsupported(format string, args ...any) error {
	return errs.Errorf(errs.ErrUnsupported, format, args...)
}

// scanner reads fields one after the other. After one that is not there, all are zero, and bad is set.
type scanner struct {
	b   []byte
	bad bool
}

func (s *scanner) fail() {
	s.b, s.bad = nil, true
}

func (s *scanner) bytes(n uint64) []byte {
	if n > uint64(len(s.b)) {
		s.fail()
		return nil
	}
	b := s.b[:n:n]
	s.b = s.b[n:]
	return b
}

func (s *scanner) varint() uint64 {
	v, n := binary.Uvarint(s.b)
	if n <= 0 {
		s.fail()
		return 0
	}
	s.b = s.b[n:]
	return v
}

func (s *scanner) signed() int64 {
	v := s.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// text reads bytes behind their length.
func (s *scanner) text() []byte { return s.bytes(s.varint()) }

func (s *scanner) u32() uint32 {
	if b := s.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (s *scanner) u64() uint64 {
	if b := s.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
