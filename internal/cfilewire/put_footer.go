package cfilewire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// magicOf returns the magic of a version, of which 0 is the newest.
func magicOf(version int) string {
	if version == 1 {
		return MagicV1
	}
	return MagicV2
}

// AppendHeader appends the header of a file: the reverse of ParseHeader. Kudu writes no metadata there. A message of more
// than MaxMetaBytes is errs.ErrLimit.
func AppendHeader(dst []byte, version int, meta []Pair, checksums bool) ([]byte, error) {
	var msg []byte
	for _, p := range meta {
		msg = appendPair(msg, 3, p)
	}
	if len(msg) > MaxMetaBytes {
		return dst, errs.Errorf(errs.ErrLimit, "header of %d bytes", len(msg))
	}
	start := len(dst)
	dst = append(dst, magicOf(version)...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(msg)))
	dst = append(dst, msg...)
	if checksums {
		dst = appendSum(dst, dst[start:])
	}
	return dst, nil
}

// AppendFooter appends what ParseFooter reads. Of f it takes what the message says, and Version; whether there are
// checksums is Incompatible's to say, not Checksums'. A message of more than MaxMetaBytes is errs.ErrLimit: its
// metadata are too long.
func AppendFooter(dst []byte, f *Footer) ([]byte, error) {
	msg := appendFooterMessage(nil, f)
	if len(msg) > MaxMetaBytes {
		return dst, errs.Errorf(errs.ErrLimit, "footer of %d bytes", len(msg))
	}
	n := len(msg)
	msg = append(msg, magicOf(f.Version)...)
	msg = binary.LittleEndian.AppendUint32(msg, uint32(n))
	if f.Incompatible&FeatureChecksums != 0 {
		dst = appendSum(dst, msg)
	}
	return append(dst, msg...), nil
}

// appendFooterMessage appends CFileFooterPB, fields in the order of their numbers.
func appendFooterMessage(b []byte, f *Footer) []byte {
	b = appendNumber(b, 1, uint64(f.Type))
	b = appendNumber(b, 2, uint64(f.Encoding))
	b = appendNumber(b, 3, uint64(f.Values))
	for i, p := range []*BlockPointer{f.Pos, f.Val} {
		if p != nil {
			b = appendMessage(b, protowire.Number(4+i), appendPointer(nil, 1, *p))
		}
	}
	b = appendNumber(b, 6, uint64(f.Compression))
	for _, p := range f.Meta {
		b = appendPair(b, 7, p)
	}
	b = appendNumber(b, 8, protowire.EncodeBool(f.Nullable))
	if f.Dict != nil {
		b = appendPointer(b, 9, *f.Dict)
	}
	b = appendNumber(b, 10, uint64(f.Incompatible))
	if f.Compatible != 0 {
		b = appendNumber(b, 11, uint64(f.Compatible))
	}
	if f.Array {
		b = appendNumber(b, 12, 1)
	}
	return b
}

func appendMessage(b []byte, num protowire.Number, msg []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), msg)
}

// appendPointer appends BlockPointerPB.
func appendPointer(b []byte, num protowire.Number, p BlockPointer) []byte {
	return appendMessage(b, num, appendNumber(appendNumber(nil, 1, uint64(p.Off)), 2, uint64(int64(p.Size))))
}

// appendPair appends FileMetadataPairPB.
func appendPair(b []byte, num protowire.Number, p Pair) []byte {
	msg := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), p.Key)
	return appendMessage(b, num, appendMessage(msg, 2, p.Value))
}
