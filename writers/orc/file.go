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
	err     error // of the compressor
}

func (f *file) begin() error { return f.write([]byte(magic)) }

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
	foot := &orcwire.StripeFooter{Timezone: "UTC"}
	add := func(kind orcwire.StreamKind, column int, n int64) {
		foot.Streams = append(foot.Streams, orcwire.Stream{Kind: kind, Column: column, Length: n})
	}
	var err error
	index := func(kind orcwire.StreamKind, column int, raw []byte) {
		if err != nil {
			return
		}
		var b []byte
		if b, err = f.chunks(raw); err == nil {
			add(kind, column, int64(len(b)))
			err = f.write(b)
		}
	}
	if f.w.d.opt.Stride > 0 {
		f.w.eachNode(func(n *node) {
			index(orcwire.RowIndex, n.typ.ID, orcwire.AppendRowIndex(nil, n.entries))
			if n.bloom != nil {
				index(orcwire.BloomFilterUTF8, n.typ.ID, orcwire.AppendBloomIndex(nil, n.blooms))
			}
		})
	}
	if err != nil {
		return err
	}
	s.IndexLength = f.at - s.Offset
	var stats []*orcwire.ColumnStats
	f.w.eachNode(func(n *node) {
		streams := n.content.streams()
		if n.nulls {
			streams = append([]stream{{orcwire.Present, n.typ.ID, &n.out}}, streams...)
		}
		stored := int64(0)
		for _, st := range streams {
			size := int64(0)
			for _, part := range st.out.Parts() {
				if err == nil {
					err = f.write(part)
				}
				size += int64(len(part))
			}
			add(st.kind, st.column, size)
			stored += size
		}
		foot.Encodings = append(foot.Encodings, n.content.encoding())
		stats = append(stats, n.stats.endStripe(stored))
	})
	if err != nil {
		return err
	}
	s.DataLength = f.at - s.Offset - s.IndexLength
	for i := range foot.Encodings {
		if f.w.d.bloom[i] {
			foot.Encodings[i].Bloom = bloomUTF8
		}
	}
	b, err := f.chunks(orcwire.AppendStripeFooter(nil, foot))
	if err != nil {
		return err
	}
	s.FooterLength = int64(len(b))
	f.stripes = append(f.stripes, s)
	f.stats = append(f.stats, orcwire.StatsOf(stats))
	f.rows += rows
	return f.write(b)
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
	foot := &orcwire.Footer{
		HeaderLength: uint64(len(magic)), ContentLength: uint64(f.at), Stripes: f.stripes, Types: d.types, Metadata: d.meta,
		Rows: f.rows, HasRows: true, Stats: orcwire.StatsOf(stats), RowIndexStride: uint32(d.opt.Stride),
		Writer: writerCode, Calendar: orcwire.CalendarProleptic, SoftwareVersion: softwareVersion,
	}
	footer, err := f.chunks(orcwire.AppendFooter(nil, foot))
	if err != nil {
		return err
	}
	ps := &orcwire.PostScript{Compression: d.kind, BlockSize: uint64(d.packing.BlockSize), Version: []uint32{0, 12}, WriterVersion: writerVersion, Magic: magic}
	if d.opt.V11 {
		ps.Version = []uint32{0, 11}
	}
	b, err := orcwire.AppendTail(nil, nil, meta, footer, ps)
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
