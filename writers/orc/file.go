package orc

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

const (
	magic = "ORC"
	// writerCode and writerVersion: a code that no other writer has, and the version of the format's semantics that
	// files follow, which readers take the newest known rules for.
	writerCode      = 6
	writerVersion   = 9
	softwareVersion = "arrowio"
)

// file is one file being written.
type file struct {
	w       *writer
	sink    arrowio.Sink
	at      int64
	rows    int64
	stripes []orcwire.StripeInfo
	stats   []orcwire.StatsList // by stripe
	enc     blockcodec.Encoder
	secrets *secrets // nil = no column is encrypted
	err     error    // of the compressor
}

func (f *file) begin() (err error) {
	if f.secrets, err = f.w.d.crypt.open(f.w.d.types); err != nil {
		return err
	}
	return f.write([]byte(magic))
}

func (f *file) write(b []byte) error {
	n, err := f.sink.Write(b)
	f.at += int64(n)
	return err
}

// chunks stores metadata as the file's compression has it.
func (f *file) chunks(raw []byte) ([]byte, error) {
	p := &f.w.d.packing
	if !p.Chunked {
		return raw, nil
	}
	b := orcwire.AppendChunks(nil, raw, p.BlockSize, func(dst, raw []byte) []byte {
		out, err := f.enc.Encode(p.Codec, p.Level, dst, raw)
		if err != nil {
			f.err = err
		}
		return out
	})
	return b, f.err
}

// stripe writes what the nodes have: index, data, stripe footer.
func (f *file) stripe(rows int64) error {
	s := orcwire.StripeInfo{Offset: f.at, Rows: rows}
	if err := f.secrets.number(&s, len(f.stripes)); err != nil {
		return err
	}
	all := f.w.copies()
	for i := range all {
		if err := f.index(&all[i], s.EncryptStripeID); err != nil {
			return err
		}
	}
	s.IndexLength = f.at - s.Offset
	for i := range all {
		if err := f.data(&all[i], s.EncryptStripeID); err != nil {
			return err
		}
	}
	s.DataLength = f.at - s.Offset - s.IndexLength
	b, err := f.chunks(orcwire.AppendStripeFooter(nil, directory(all)))
	if err != nil {
		return err
	}
	s.FooterLength = int64(len(b))
	f.stripes = append(f.stripes, s)
	f.stats = append(f.stats, orcwire.StatsOf(all[0].stats))
	f.secrets.keep(all[1:])
	f.rows += rows
	return f.write(b)
}

// index writes row indexes and bloom filters.
func (f *file) index(c *copied, stripe int64) error {
	if f.w.d.opt.Stride == 0 {
		return nil
	}
	for _, n := range c.nodes {
		put := func(kind orcwire.StreamKind, raw []byte) error {
			b, err := f.chunks(raw)
			if err == nil {
				err = f.secrets.seal(c.variant, n.typ.ID, kind, stripe, b)
			}
			if err != nil {
				return err
			}
			c.index = append(c.index, orcwire.Stream{Kind: kind, Column: n.typ.ID, Length: int64(len(b))})
			return f.write(b)
		}
		if err := put(orcwire.RowIndex, orcwire.AppendRowIndex(nil, n.entries)); err != nil {
			return err
		}
		if n.bloom == nil {
			continue
		}
		if err := put(orcwire.BloomFilterUTF8, orcwire.AppendBloomIndex(nil, n.blooms)); err != nil {
			return err
		}
	}
	return nil
}

// data writes the other streams, and gathers encodings and statistics.
func (f *file) data(c *copied, stripe int64) error {
	for _, n := range c.nodes {
		streams := n.content.streams()
		if n.nulls {
			streams = append([]stream{{orcwire.Present, n.typ.ID, &n.out}}, streams...)
		}
		stored := int64(0)
		for _, st := range streams {
			if err := st.out.Err(); err != nil {
				return err
			}
			parts := st.out.Parts()
			if err := f.secrets.seal(c.variant, st.column, st.kind, stripe, parts...); err != nil {
				return err
			}
			size := int64(0)
			for _, part := range parts {
				if err := f.write(part); err != nil {
					return err
				}
				size += int64(len(part))
			}
			c.data = append(c.data, orcwire.Stream{Kind: st.kind, Column: st.column, Length: size})
			stored += size
		}
		e := n.content.encoding()
		if n.bloom != nil {
			e.Bloom = bloomUTF8
		}
		c.encodings = append(c.encodings, e)
		c.stats = append(c.stats, n.stats.endStripe(stored))
	}
	return nil
}

// bloomUTF8 marks bloom filters whose times are in UTC.
const bloomUTF8 = 1

// end writes the file's tail.
func (f *file) end() error {
	d := f.w.d
	meta, err := f.chunks(orcwire.AppendMetadata(nil, f.stats))
	if err != nil {
		return err
	}
	var stats []*orcwire.ColumnStats
	f.w.eachNode(func(n *node) { stats = append(stats, n.stats.file()) })
	encryption, hidden, err := f.sealedTail()
	if err != nil {
		return err
	}
	foot := &orcwire.Footer{
		HeaderLength: uint64(len(magic)), ContentLength: uint64(f.at), Stripes: f.stripes, Types: d.types, Metadata: d.meta,
		Rows: f.rows, HasRows: true, Stats: orcwire.StatsOf(stats), RowIndexStride: uint32(d.opt.Stride),
		Encryption: encryption, Writer: writerCode, Calendar: orcwire.CalendarProleptic, SoftwareVersion: softwareVersion,
	}
	footer, err := f.chunks(orcwire.AppendFooter(nil, foot))
	if err != nil {
		return err
	}
	ps := &orcwire.PostScript{Compression: d.kind, BlockSize: uint64(d.packing.BlockSize), Version: []uint32{0, 12}, WriterVersion: writerVersion, Magic: magic}
	if d.opt.V11 {
		ps.Version = []uint32{0, 11}
	}
	b, err := orcwire.AppendTail(nil, hidden, meta, footer, ps)
	if err != nil {
		return err
	}
	return f.write(b)
}

// eachNode calls f for all nodes in the order of type ids.
func (w *writer) eachNode(f func(*node)) {
	if w.root != nil {
		f(w.root)
	}
	for _, n := range w.fields {
		n.each(f)
	}
}
