package orc

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/sinkblocks"
	"github.com/arrowio/arrowio/internal/workers"
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
	at      int64 // where the next byte goes
	block   int64 // stripes do not lie across multiples of it; 0 = they may
	rows    int64
	stripes []orcwire.StripeInfo
	stats   []orcwire.StatsList // by stripe
	pack    orcwire.OutScratch  // of metadata
	secrets *secrets            // nil = no column is encrypted
	flight  func() error        // waits for the stripe that is being written; nil = none is
}

func (f *file) begin() (err error) {
	if f.secrets, err = f.w.d.crypt.open(f.w.d.types); err != nil {
		return err
	}
	if f.block, err = sinkblocks.Within(f.sink, f.w.d.opt.StoreBlock); err != nil {
		return err
	}
	return f.write([]byte(magic))
}

// landed waits for the stripe that is being written.
func (f *file) landed() error {
	if f.flight == nil {
		return nil
	}
	err := f.flight()
	f.flight = nil
	return err
}

// write writes parts, when those before are written.
func (f *file) write(parts ...[]byte) error {
	if err := f.landed(); err != nil {
		return err
	}
	for _, b := range parts {
		n, err := f.sink.Write(b)
		f.at += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// send is write of buffers from the pool. Where there are workers, it goes on while the buffers are written.
func (f *file) send(parts [][]byte) error {
	if err := f.landed(); err != nil {
		return err
	}
	for _, b := range parts {
		f.at += int64(len(b))
	}
	put := func() error {
		for _, b := range parts {
			if _, err := f.sink.Write(b); err != nil {
				return err
			}
			f.w.pool.Put(b)
		}
		return nil
	}
	if f.w.workers.Workers <= 1 {
		return put()
	}
	f.flight = workers.Go(put)
	return nil
}

// chunks stores metadata as the file's compression has it.
func (f *file) chunks(raw []byte) ([]byte, error) {
	return f.pack.AppendChunks(nil, raw, f.w.d.packing)
}

// stripe writes what the nodes have: index, data, stripe footer.
func (f *file) stripe() error {
	s := orcwire.StripeInfo{Rows: f.w.rows}
	if err := f.secrets.number(&s, len(f.stripes)); err != nil {
		return err
	}
	if err := f.w.complete(f.secrets, s.EncryptStripeID); err != nil {
		return err
	}
	var parts [][]byte
	add := func(from []storedStream, column int, to *[]orcwire.Stream, area *int64) {
		for _, x := range from {
			parts = append(parts, x.parts...)
			*to = append(*to, orcwire.Stream{Kind: x.kind, Column: column, Length: x.size})
			*area += x.size
		}
	}
	all := f.w.copies()
	for i := range all {
		for _, n := range all[i].nodes {
			add(n.done.index, n.typ.ID, &all[i].index, &s.IndexLength)
		}
	}
	for i := range all {
		for _, n := range all[i].nodes {
			add(n.done.data, n.typ.ID, &all[i].data, &s.DataLength)
			all[i].encodings = append(all[i].encodings, n.done.encoding)
			all[i].stats = append(all[i].stats, n.done.stats)
		}
	}
	b, err := f.chunks(orcwire.AppendStripeFooter(nil, directory(all)))
	if err != nil {
		return err
	}
	s.FooterLength = int64(len(b))
	if err := f.keep(s.IndexLength + s.DataLength + s.FooterLength); err != nil {
		return err
	}
	s.Offset = f.at
	f.stripes = append(f.stripes, s)
	f.stats = append(f.stats, orcwire.StatsOf(all[0].stats))
	f.secrets.keep(all[1:])
	f.rows += s.Rows
	return f.send(append(parts, b))
}

// complete ends the streams of all nodes, and makes of them what a stripe stores.
func (w *writer) complete(x *secrets, stripe int64) error {
	if err := w.each(func(i int, sc *orcwire.OutScratch) error {
		w.fields[i].use(sc)
		w.fields[i].finish()
		return nil
	}); err != nil {
		return err
	}
	if err := w.workers.Wait(); err != nil {
		return err
	}
	if err := w.each(func(i int, sc *orcwire.OutScratch) error {
		return w.fields[i].complete(sc, x, stripe)
	}); err != nil || w.root == nil {
		return err
	}
	w.root.finish()
	return w.root.complete(&w.file.pack, x, stripe)
}

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
		Encryption: encryption, Writer: writerCode, Calendar: d.calendar(), SoftwareVersion: softwareVersion,
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
