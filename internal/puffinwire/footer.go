package puffinwire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
)

const (
	magic = "PFA1"
	// TailSize is the number of bytes at the end of a file that say how large its footer is.
	TailSize = 4 + 4 + len(magic)

	flagPacked = 1
)

// Blob is what the footer says of a blob.
type Blob struct {
	Type        string            `json:"type"`
	Offset      int64             `json:"offset"`
	Length      int64             `json:"length"`
	Codec       string            `json:"compression-codec,omitempty"` // "" = it is stored as it is
	Fields      []int32           `json:"fields"`
	SnapshotID  int64             `json:"snapshot-id"`
	SequenceNum int64             `json:"sequence-number"`
	Properties  map[string]string `json:"properties"`
}

// Properties of blobs that are deletion vectors.
const (
	PropertyDataFile    = "referenced-data-file"
	PropertyCardinality = "cardinality"
)

// FooterSize returns the size of the footer of a file, with its magic in front and the tail. tail is the last TailSize bytes of the
// file, which has size bytes. Errors are errs.ErrCorrupt.
func FooterSize(tail []byte, size int64) (int64, error) {
	if len(tail) != TailSize || string(tail[8:]) != magic {
		return 0, corrupt("the file does not end as a Puffin file: %s", magic)
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	whole := n + int64(len(magic)) + int64(TailSize)
	if n < 0 || whole > size-int64(len(magic)) {
		return 0, corrupt("a footer of %d bytes in a file of %d", n, size)
	}
	return whole, nil
}

// ParseFooter reads a footer, of the size that FooterSize returns. Its text has at most most bytes. Errors are errs.ErrCorrupt,
// errs.ErrLimit and errs.ErrUnsupported.
func ParseFooter(footer []byte, most int64) ([]Blob, error) {
	if len(footer) < len(magic)+TailSize || string(footer[:len(magic)]) != magic {
		return nil, corrupt("the footer does not begin with %s", magic)
	}
	text, tail := footer[len(magic):len(footer)-TailSize], footer[len(footer)-TailSize:]
	switch flags := binary.LittleEndian.Uint32(tail[4:]); {
	case flags&^flagPacked != 0:
		return nil, errs.Errorf(errs.ErrUnsupported, "the footer has the flags %08x, of which some are not known", flags)
	case flags == flagPacked:
		var err error
		if text, err = unpack(text, most); err != nil {
			return nil, err
		}
	}
	var doc struct {
		Blobs []Blob `json:"blobs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, corrupt("the footer is not valid JSON: %w", err)
	}
	return doc.Blobs, nil
}

// bounded keeps at most a number of bytes.
type bounded struct {
	b    []byte
	most int64
}

// Write implements io.Writer.
func (w *bounded) Write(p []byte) (int, error) {
	if int64(len(w.b)+len(p)) > w.most {
		return 0, errs.Errorf(errs.ErrLimit, "a footer of more than %d bytes (Limits.MetadataBytes)", w.most)
	}
	w.b = append(w.b, p...)
	return len(p), nil
}

// unpack reads a frame of LZ4.
func unpack(packed []byte, most int64) ([]byte, error) {
	w := bounded{most: most}
	_, err := lz4.NewReader(bytes.NewReader(packed)).WriteTo(&w)
	var e *errs.Error
	if err != nil && !errors.As(err, &e) {
		err = corrupt("the footer: %w", err)
	}
	return w.b, err
}
