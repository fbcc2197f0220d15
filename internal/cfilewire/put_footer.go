package cfilewire

import (
	"encoding/binary"

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
	msg := headerTable.Append(nil, &meta)
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
	msg := footerTable.Append(nil, f)
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
