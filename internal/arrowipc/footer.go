package arrowipc

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Footer is Footer{version, schema, dictionaries, recordBatches, custom_metadata} of a file.
type Footer struct {
	Version      int16
	Schema       *Schema
	Dictionaries []Block
	Batches      []Block
}

// Block is where a message lies in a file: its prefix and metadata, and behind them its body.
type Block struct {
	Off        int64
	Meta, Body int64 // lengths; Meta includes the prefix
}

// ParseFooter reads the footer of a file in which it starts at off. Every block lies in front of it.
func ParseFooter(b []byte, off int64, limits errs.Limits) (f Footer, err error) {
	fb := newFlat(b, limits.MetadataBytes)
	root := fb.root()
	f.Version = root.int16(0, 0)
	schema, ok := root.child(1)
	switch {
	case fb.err != nil:
		return f, fb.err
	case !ok:
		return f, corrupt("no schema")
	}
	if err := checkVersion(f.Version); err != nil {
		return f, err
	}
	if f.Schema, err = readSchema(schema, limits); err != nil {
		return f, err
	}
	if f.Dictionaries, err = readBlocks(root.vector(2, 24), off); err != nil {
		return f, err
	}
	if f.Batches, err = readBlocks(root.vector(3, 24), off); err != nil {
		return f, err
	}
	return f, fb.err
}

// firstMessage is where messages start in a file, behind the magic.
const firstMessage = 8

// readBlocks reads Block{int64 offset, int32 metadata length, 4 bytes of padding, int64 body length}.
func readBlocks(v []byte, end int64) ([]Block, error) {
	out := make([]Block, len(v)/24)
	for i := range out {
		p := v[24*i : 24*i+24]
		b := Block{
			Off:  int64(binary.LittleEndian.Uint64(p)),
			Meta: int64(int32(binary.LittleEndian.Uint32(p[8:]))),
			Body: int64(binary.LittleEndian.Uint64(p[16:])),
		}
		if b.Off < firstMessage || b.Meta < 8 || b.Body < 0 || b.Off > end || b.Meta > end-b.Off || b.Body > end-b.Off-b.Meta {
			return nil, corrupt("block %d has metadata of %d and a body of %d bytes at %d, in front of a footer at %d", i, b.Meta, b.Body, b.Off, end)
		}
		out[i] = b
	}
	return out, nil
}
