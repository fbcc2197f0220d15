package avrowire

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cursor"
)

// Magic is how every container file begins.
const Magic = "Obj\x01"

// SyncSize is the size of the marker behind the header and behind each block.
const SyncSize = 16

// Keys of the metadata that mean something to the format.
const (
	KeySchema = "avro.schema"
	KeyCodec  = "avro.codec"
)

// Header is what stands before the first block.
type Header struct {
	Meta   []arrowmeta.Pair // in the order of the file; of a repeated key the last value counts
	Schema []byte           // the text of avro.schema
	Codec  Codec
	Sync   [SyncSize]byte
	Size   int64 // in bytes; the first block starts there

	SchemaOff int64 // where the text of avro.schema stands
}

// Match reports whether a file with these first bytes is a container file.
func Match(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic)) }

// ParseHeader reads the header from b, the beginning of a file of size bytes. cursor.ErrShort says that b may be too short.
func ParseHeader(b []byte, size int64, lim errs.Limits) (*Header, error) {
	r := &metaReader{b: b, size: size, lim: lim}
	if len(b) < len(Magic) && bytes.HasPrefix([]byte(Magic), b) {
		return nil, r.short(0)
	}
	if !Match(b) {
		return nil, errs.Errorf(errs.ErrCorrupt, "the file does not begin with %q", Magic)
	}
	r.p = len(Magic)
	h := &Header{}
	var err error
	if h.Meta, err = r.pairs(); err != nil {
		return nil, errs.Locate(err, errs.At{Op: "header", Off: errs.N(r.p)})
	}
	if len(b)-r.p < SyncSize {
		return nil, errs.Locate(r.short(r.p), errs.At{Op: "sync marker", Off: errs.N(r.p)})
	}
	copy(h.Sync[:], b[r.p:])
	h.Size = int64(r.p + SyncSize)
	schema, ok := h.Get(KeySchema)
	if !ok {
		return nil, errs.Locate(errs.Errorf(errs.ErrCorrupt, "the metadata have no %s", KeySchema), errs.At{Op: "header", Off: errs.N(len(Magic))})
	}
	h.Schema, h.SchemaOff = schema, r.valueOff(h.Meta, KeySchema)
	name, _ := h.Get(KeyCodec)
	if h.Codec, err = CodecNamed(string(name)); err != nil {
		return nil, errs.Locate(err, errs.At{Op: "header", Off: errs.N(r.valueOff(h.Meta, KeyCodec))})
	}
	return h, nil
}

// Get returns the value of a key and whether it is there.
func (h *Header) Get(key string) (value []byte, ok bool) {
	for _, p := range h.Meta {
		if p.Key == key {
			value, ok = p.Value, true
		}
	}
	return value, ok
}

// User returns the entries that belong to users, without overridden repeats.
func (h *Header) User() (out []arrowmeta.Pair) {
	place := map[string]int{}
	for _, p := range h.Meta {
		if i, again := place[p.Key]; again {
			out[i].Value = p.Value
			continue
		}
		if p.Key == KeyCodec {
			continue
		}
		place[p.Key] = len(out)
		out = append(out, p)
	}
	return out
}

// Reserved reports whether a key of the metadata is the format's: the specification reserves those that begin with "avro.".
func Reserved(key string) bool { return strings.HasPrefix(key, "avro.") }

// metaReader reads the metadata.
type metaReader struct {
	b    []byte
	p    int
	size int64
	lim  errs.Limits
	held int64
	offs []int64 // where the values stand
}

// valueOff returns where the value of a key stands.
func (r *metaReader) valueOff(meta []arrowmeta.Pair, key string) (off int64) {
	for i, p := range meta {
		if p.Key == key {
			off = r.offs[i]
		}
	}
	return off
}

// short says that the file, or the part of it in b, ends too early.
func (r *metaReader) short(at int) error {
	if int64(len(r.b)) >= r.size {
		return errs.Locate(errs.Errorf(errs.ErrCorrupt, "the file ends within the header"), errs.At{Off: errs.N(at)})
	}
	return fmt.Errorf("the header goes on behind byte %d: %w", len(r.b), cursor.ErrShort)
}

func (r *metaReader) long() (int64, error) {
	v, n, err := bitpack.Zigzag[int64](r.b[r.p:])
	if err != nil {
		if len(r.b)-r.p < maxVarint {
			return 0, r.short(r.p)
		}
		return 0, errs.Errorf(errs.ErrCorrupt, "%w", err)
	}
	r.p += n
	return v, nil
}

// bytes reads a length and so many bytes.
func (r *metaReader) bytes() ([]byte, error) {
	n, err := r.long()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > r.size-int64(r.p) {
		return nil, errs.Errorf(errs.ErrCorrupt, "a length of %d, but %d bytes are left in the file", n, r.size-int64(r.p))
	}
	if r.held += n + pairBytes; r.held > r.lim.MetadataBytes {
		return nil, errs.Errorf(errs.ErrLimit, "the header is over the limit MetadataBytes = %d", r.lim.MetadataBytes)
	}
	if n > int64(len(r.b)-r.p) {
		return nil, r.short(r.p)
	}
	r.p += int(n)
	return bytes.Clone(r.b[r.p-int(n) : r.p]), nil
}

// pairBytes is about what half an entry takes in memory beside its bytes.
const pairBytes = 24

// pairs reads a map: blocks of a count and so many entries, a count of 0 at the end. A negative count stands before the size of its
// block in bytes.
func (r *metaReader) pairs() (out []arrowmeta.Pair, err error) {
	for {
		n, err := r.long()
		if err != nil || n == 0 {
			return out, err
		}
		if n < 0 {
			if _, err := r.long(); err != nil {
				return nil, err
			}
			n = -n
		}
		if n < 0 || n > (r.size-int64(r.p))/2 {
			return nil, errs.Errorf(errs.ErrCorrupt, "metadata of %d entries, but %d bytes are left in the file", n, r.size-int64(r.p))
		}
		for range n {
			k, err := r.bytes()
			if err != nil {
				return nil, err
			}
			v, err := r.bytes()
			if err != nil {
				return nil, err
			}
			out = append(out, arrowmeta.Pair{Key: string(k), Value: v})
			r.offs = append(r.offs, int64(r.p-len(v)))
		}
	}
}

// AppendHeader writes a header. Its Schema, Codec and Size are not looked at.
func AppendHeader(dst []byte, h *Header) []byte {
	dst = append(dst, Magic...)
	if len(h.Meta) > 0 {
		dst = bitpack.AppendZigzag(dst, int64(len(h.Meta)))
	}
	for _, p := range h.Meta {
		dst = bitpack.AppendZigzag(dst, int64(len(p.Key)))
		dst = append(dst, p.Key...)
		dst = bitpack.AppendZigzag(dst, int64(len(p.Value)))
		dst = append(dst, p.Value...)
	}
	dst = append(dst, 0)
	return append(dst, h.Sync[:]...)
}
