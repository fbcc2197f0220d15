package cfilewire

import (
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// FileSettings say what file is written. The zero value of a field is Kudu's default. ColumnSettings and its like give
// those of the kinds of files there are.
type FileSettings struct {
	Type        DataType
	Encoding    Encoding    // EncodingAuto for the type's own
	Compression Compression // 0 for none
	Nullable    bool
	BlockSize   int // about the bytes of a data block before compression; 0 for DefaultBlockSize

	Positional bool // there is an index by row
	Keyed      bool // there is an index by key
	WholeKeys  bool // whose keys are not cut where they differ from the one before
	Bounds     bool // metadata have the first and the last key
	KeysLast   bool // the index by key lies behind the data, and ForgetKeys can leave it out; Kudu's lies among the blocks

	// Key appends the encoded key of a cell, whose order is that of the cells; nil for that of AppendKey.
	Key func(dst, cell []byte) ([]byte, error)

	Batch       int  // rows behind which Kudu looks whether a block is full; 0 for DefaultBatch
	IndexBlock  int  // bytes from which on index blocks are full; 0 for IndexBlockSize
	Version     int  // 1 or 2; 0 for 2
	NoChecksums bool // leave them out
}

// DefaultBatch is how many rows Kudu puts at a time where it writes rowsets; it may be fewer.
const DefaultBatch = 100

// ColumnSettings are those of a column's file. keyed says that the column is the primary key, all of it.
func ColumnSettings(t DataType, e Encoding, c Compression, nullable, keyed bool) FileSettings {
	return FileSettings{Type: t, Encoding: e, Compression: c, Nullable: nullable, Positional: true, Keyed: keyed, Bounds: keyed}
}

// KeyIndexSettings are those of the file with the encoded keys of a rowset whose primary key has several columns.
func KeyIndexSettings() FileSettings {
	return FileSettings{Type: Binary, Encoding: EncodingPrefix, Compression: LZ4, BlockSize: 4 << 10, Keyed: true, Bounds: true}
}

// BloomSettings are those of a file of bloom filters, which is written by BloomFileOut.
func BloomSettings() FileSettings {
	return FileSettings{Type: Binary, Encoding: EncodingPlain, Keyed: true}
}

// FileOut writes the parts of a file in the order that Kudu has them: header, data blocks with index blocks among them,
// the rest of the positional index, of the value index, the dictionary, the footer. Open comes first. It gives the bytes
// away as they come and keeps none. After an error nothing more may be written. One goroutine at a time may use it.
type FileOut struct {
	settings FileSettings
	write    func(b []byte) error
	frame    Frame
	sealer   Sealer
	stored   []byte
	off      int64
	pos, val IndexOut
	last     []byte // key
	meta     []Pair
	late     []lateKey // with KeysLast
	keyless  bool      // ForgetKeys was called
}

// lateKey is an entry of an index that is written behind the data.
type lateKey struct {
	key []byte
	p   BlockPointer
}

// Open starts a file and writes its header. write gets the bytes of the file from the first to the last, and must not
// keep its argument. Settings that no file can have are errs.ErrSchema.
func (w *FileOut) Open(s FileSettings, write func(b []byte) error) error {
	s.Encoding = s.Encoding.Resolve(s.Type)
	if s.Compression == DefaultCompression {
		s.Compression = NoCompression
	}
	if s.Version == 0 {
		s.Version = 2
	}
	if err := s.check(); err != nil {
		return err
	}
	w.settings, w.write, w.off, w.last, w.meta = s, write, 0, w.last[:0], nil
	w.late, w.keyless = w.late[:0], false
	w.frame = Frame{Version: s.Version, Codec: s.Compression.Codec(), Checksums: !s.NoChecksums}
	w.pos.Open(s.IndexBlock, w.put)
	w.val.Open(s.IndexBlock, w.put)
	header, err := AppendHeader(w.stored[:0], s.Version, nil, !s.NoChecksums)
	if err != nil {
		return err
	}
	w.stored = header
	w.off = int64(len(header))
	return w.write(header)
}

func (s *FileSettings) check() error {
	if err := CheckEncoding(&Footer{Type: s.Type, Encoding: s.Encoding}); err != nil {
		return errs.Errorf(errs.ErrSchema, "%w", err)
	}
	switch {
	case s.Encoding == EncodingGroupVarint:
		return errs.Errorf(errs.ErrSchema, "%s is read, not written", s.Encoding)
	case int(s.Compression) >= len(compressions):
		return errs.Errorf(errs.ErrSchema, "%s is not known", s.Compression)
	case s.Version != 1 && s.Version != 2:
		return errs.Errorf(errs.ErrSchema, "version %d", s.Version)
	case s.Keyed && s.Nullable:
		return errs.Errorf(errs.ErrSchema, "a key that may be null")
	case s.Keyed && s.Key == nil && !s.Type.IsKey():
		return errs.Errorf(errs.ErrSchema, "%s is not in keys", s.Type)
	case !s.Keyed && !s.Positional:
		return errs.Errorf(errs.ErrSchema, "a file without an index")
	}
	return nil
}

// put writes a block of any kind.
func (w *FileOut) put(raw []byte) (p BlockPointer, err error) {
	if w.stored, err = w.sealer.Seal(w.frame, w.stored[:0], raw); err != nil {
		return p, err
	}
	p = BlockPointer{Off: w.off, Size: int32(len(w.stored))}
	w.off += int64(len(w.stored))
	return p, w.write(w.stored)
}

// Block writes a data block, which it does not keep. ordinal is that of its first row; first and last are the encoded keys
// of its first and last one, whole, if the file is keyed.
func (w *FileOut) Block(raw []byte, ordinal uint32, first, last []byte) error {
	p, err := w.put(raw)
	if err != nil {
		return err
	}
	if w.settings.Positional {
		if err := w.pos.AddOrdinal(ordinal, p); err != nil {
			return err
		}
	}
	if !w.settings.Keyed {
		return nil
	}
	if !w.settings.WholeKeys {
		first = Separator(w.last, first)
	}
	w.last = append(w.last[:0], last...)
	if w.settings.KeysLast {
		w.late = append(w.late, lateKey{slices.Clone(first), p})
		return nil
	}
	return w.val.Add(first, p)
}

// ForgetKeys has a file of settings with KeysLast end without an index by key, and without bounds.
func (w *FileOut) ForgetKeys() { w.keyless = w.settings.KeysLast }

// addLate puts the entries of an index that is written behind the data.
func (w *FileOut) addLate() error {
	for _, e := range w.late {
		if err := w.val.Add(e.key, e.p); err != nil {
			return err
		}
	}
	return nil
}

// AddMeta adds metadata to the footer, behind what there is. It does not keep value.
func (w *FileOut) AddMeta(key string, value []byte) {
	w.meta = append(w.meta, Pair{Key: key, Value: slices.Clone(value)})
}

// Size returns how many bytes have been written.
func (w *FileOut) Size() int64 { return w.off }

// Finish writes what comes behind the data blocks and returns the footer. values is how many rows the file has, at most
// 1<<32; dict is the dictionary, which there is if the encoding is EncodingDict. Open comes next.
func (w *FileOut) Finish(values int64, dict []byte) (*Footer, error) {
	s := &w.settings
	f := &Footer{
		Type: s.Type, Encoding: s.Encoding, Values: values, Compression: s.Compression, Meta: w.meta, Nullable: s.Nullable,
		Checksums: !s.NoChecksums, Version: s.Version, HeaderSize: TailSize,
	}
	if values < 0 || values > math.MaxUint32+1 {
		return nil, errs.Errorf(errs.ErrLimit, "%d rows are over what a CFile can have", values)
	}
	if f.Checksums {
		f.Incompatible |= FeatureChecksums
		f.HeaderSize += checksumSize
	}
	var err error
	root := func(x *IndexOut) *BlockPointer {
		p, e := x.Finish()
		err = e
		return &p
	}
	if s.Positional {
		f.Pos = root(&w.pos)
	}
	if s.Keyed && !w.keyless && err == nil {
		if err = w.addLate(); err == nil {
			f.Val = root(&w.val)
		}
	}
	if s.Encoding == EncodingDict && err == nil {
		var p BlockPointer
		p, err = w.put(dict)
		f.Dict = &p
	}
	if err != nil {
		return nil, err
	}
	f.FooterOff = w.off
	if w.stored, err = AppendFooter(w.stored[:0], f); err != nil {
		return nil, err
	}
	w.off += int64(len(w.stored))
	return f, w.write(w.stored)
}

// BloomFileOut writes a file of bloom filters. Open comes first. One goroutine at a time may use it.
type BloomFileOut struct {
	file  FileOut
	bloom BloomOut
	raw   []byte
	first []byte // key of the filter
}

// Open starts a file, as FileOut.Open does, with filters as BloomOut.Open has them.
func (w *BloomFileOut) Open(size int, rate float64, write func(b []byte) error) error {
	w.bloom.Open(size, rate)
	return w.file.Open(BloomSettings(), write)
}

// Put adds an encoded key, which comes after all before. It does not keep it.
func (w *BloomFileOut) Put(key []byte) error {
	if w.bloom.Count() == 0 {
		w.first = append(w.first[:0], key...)
	}
	w.bloom.Put(HashKey(key))
	if !w.bloom.Full() {
		return nil
	}
	return w.flush(key)
}

func (w *BloomFileOut) flush(last []byte) error {
	w.raw = w.bloom.Finish(w.raw[:0])
	return w.file.Block(w.raw, 0, w.first, last)
}

// Finish writes the rest of the file and returns its footer.
func (w *BloomFileOut) Finish() (*Footer, error) {
	if w.bloom.Count() > 0 {
		if err := w.flush(nil); err != nil {
			return nil, err
		}
	}
	return w.file.Finish(0, nil)
}
