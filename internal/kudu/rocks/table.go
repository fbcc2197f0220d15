package rocks

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

const (
	footerSize = 53
	tableMagic = 0x88e241b785f4cff7
	trailer    = 5 // behind a block: codec and checksum
)

// table reads the entries of a table.
type table struct {
	src    arrowio.Source
	limit  int64
	codec  blockcodec.Decoder
	raw    []byte
	deltas bool // places in the index are told as differences
}

// place is where a block is.
type place struct{ off, size uint64 }

func (s *scanner) place() place { return place{s.varint(), s.varint()} }

// read calls take for all entries. Blocks that are damaged are passed over, and told to lose.
func (t *table) read(take func(Entry) error, lose func(error)) error {
	b, err := t.open()
	if err != nil {
		return err
	}
	blocks, err := t.index(b)
	if err != nil {
		return err
	}
	var into []byte
	end := uint64(0)
	for _, p := range blocks {
		if p.off < end { // else a small table could ask for any amount of work
			return corrupt("blocks of the table overlap at byte %d", p.off)
		}
		end = p.off + p.size
		b, err := t.block(p, into[:0])
		if err == nil {
			into = b
			err = entries(b, func(key, value []byte) error {
				n := len(key) - 8
				if n < 0 {
					return corrupt("a key of %d bytes in the block at %d", len(key), p.off)
				}
				tail := binary.LittleEndian.Uint64(key[n:])
				e := Entry{Key: key[:n], Value: value, Seq: tail >> 8}
				switch kind := tail & 0xff; kind {
				case kindPut:
				case kindDelete, kindSingleDelete:
					e.Deleted = true
				default:
					return unsupported("entries of kind %d in a table", kind)
				}
				return take(e)
			})
		}
		if err != nil {
			if !errors.Is(err, errs.ErrCorrupt) {
				return err
			}
			lose(err)
		}
	}
	return nil
}

// open reads the footer and the properties, and returns the index.
func (t *table) open() ([]byte, error) {
	size := t.src.Size()
	if size < footerSize {
		return nil, corrupt("a table of %d bytes", size)
	}
	b := make([]byte, footerSize)
	if n, err := t.src.ReadAt(b, size-footerSize); n < len(b) {
		return nil, err
	}
	if m := binary.LittleEndian.Uint64(b[footerSize-8:]); m != tableMagic {
		return nil, corrupt("the table ends with %#x", m)
	}
	if v := binary.LittleEndian.Uint32(b[footerSize-12:]); v < 2 || v > 5 {
		return nil, unsupported("tables of format version %d; this reader knows 2 to 5", v)
	}
	if b[0] != 1 {
		return nil, unsupported("tables with checksums of kind %d; this reader knows 1, CRC-32C", b[0])
	}
	s := scanner{b: b[1 : footerSize-12]}
	meta, index := s.place(), s.place()
	if s.bad {
		return nil, corrupt("the footer of the table does not say where its index is")
	}
	m, err := t.block(meta, nil)
	if err != nil {
		return nil, err
	}
	var props place
	err = entries(m, func(key, value []byte) error {
		v := scanner{b: value}
		if string(key) == "rocksdb.properties" {
			props = v.place()
		}
		return nil
	})
	if err == nil && props.size == 0 {
		err = corrupt("the table has no properties")
	}
	if err != nil {
		return nil, err
	}
	if err := t.properties(props); err != nil {
		return nil, err
	}
	return t.block(index, nil)
}

// properties reads what decides how the table is read.
func (t *table) properties(at place) error {
	b, err := t.block(at, nil)
	if err != nil {
		return err
	}
	return entries(b, func(key, value []byte) error {
		v := scanner{b: value}
		switch string(key) {
		case "rocksdb.block.based.table.index.type":
			if typ := v.u32(); typ > 1 {
				return unsupported("tables with an index of type %d", typ)
			}
		case "rocksdb.index.value.is.delta.encoded":
			t.deltas = v.varint() != 0
		case "rocksdb.num.range-deletions":
			if v.varint() != 0 {
				return unsupported("deletions of ranges of keys")
			}
		}
		return nil
	})
}

// block reads a block into dst.
func (t *table) block(p place, dst []byte) ([]byte, error) {
	size := uint64(t.src.Size())
	if p.off > size || p.size > size-p.off || trailer > size-p.off-p.size {
		return nil, corrupt("a block of %d bytes at %d, and the table has %d", p.size, p.off, size)
	}
	if p.size > uint64(t.limit) {
		return nil, errs.Errorf(errs.ErrLimit, "a block of %d bytes, over the limit of %d (BlockBytes)", p.size, t.limit)
	}
	n := int(p.size)
	if cap(t.raw) < n+trailer {
		t.raw = make([]byte, n+trailer)
	}
	b := t.raw[:n+trailer]
	if m, err := t.src.ReadAt(b, int64(p.off)); m < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if sum(b[:n+1]) != binary.LittleEndian.Uint32(b[n+1:]) {
		return nil, corrupt("wrong checksum of the block at %d", p.off)
	}
	switch b[n] {
	case 0:
		return append(dst, b[:n]...), nil
	case 1:
		raw, _ := binary.Uvarint(b[:n])
		if raw > uint64(t.limit) {
			return nil, errs.Errorf(errs.ErrLimit, "a block of %d bytes, over the limit of %d (BlockBytes)", raw, t.limit)
		}
		if uint64(cap(dst)) < raw+blockcodec.Slack {
			dst = make([]byte, raw+blockcodec.Slack)
		}
		return t.codec.Decode(blockcodec.Snappy, dst[:cap(dst)], b[:n], int(raw), true)
	}
	return nil, unsupported("blocks with codec %d; this reader knows none and snappy", b[n])
}

// body returns the entries of a block, without the places of restarts behind them.
func body(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, corrupt("a block of %d bytes", len(b))
	}
	n := binary.LittleEndian.Uint32(b[len(b)-4:])
	if n>>31 != 0 {
		return nil, unsupported("blocks with a hash index")
	}
	if uint64(n) > uint64(len(b)/4-1) {
		return nil, corrupt("a block of %d bytes with %d restarts", len(b), n)
	}
	return b[:len(b)-4-4*int(n)], nil
}

// entries calls f with the entries of a block, whose keys are valid until the next call.
func entries(b []byte, f func(key, value []byte) error) error {
	b, err := body(b)
	if err != nil {
		return err
	}
	s := scanner{b: b}
	var key []byte
	for len(s.b) > 0 {
		shared, rest, size := s.varint(), s.varint(), s.varint()
		more, value := s.bytes(rest), []byte(nil)
		if value = s.bytes(size); s.bad || shared > uint64(len(key)) {
			return corrupt("an entry of a block is cut short")
		}
		key = append(key[:shared], more...)
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// index returns the places of the blocks of entries. Places that are told as differences have no length before them.
func (t *table) index(b []byte) (out []place, err error) {
	if !t.deltas {
		err := entries(b, func(_, value []byte) error {
			v := scanner{b: value}
			if out = append(out, v.place()); v.bad {
				return corrupt("an entry of the index is cut short")
			}
			return nil
		})
		return out, err
	}
	if b, err = body(b); err != nil {
		return nil, err
	}
	s := scanner{b: b}
	var last place
	for len(s.b) > 0 {
		shared, rest := s.varint(), s.varint()
		s.bytes(rest)
		if shared == 0 {
			last = s.place()
		} else {
			last = place{last.off + last.size + trailer, last.size + uint64(s.signed())}
		}
		if s.bad {
			return nil, corrupt("an entry of the index is cut short")
		}
		out = append(out, last)
	}
	return out, nil
}
