package cfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// fileOut is an object of the set.
type fileOut struct {
	name   string
	sink   arrowio.Sink // nil = it is not open
	size   int64
	failed error // of the sink
}

func (f *fileOut) create(ctx context.Context, st arrowio.Store, name string) (err error) {
	*f = fileOut{name: name}
	f.sink, err = st.Create(ctx, name)
	return err
}

func (f *fileOut) write(b []byte) error {
	n, err := f.sink.Write(b)
	f.size += int64(n)
	f.failed = err
	return err
}

func (f *fileOut) close() error {
	if f.sink == nil {
		return nil
	}
	s := f.sink
	f.sink = nil
	return s.Close()
}

// located puts a column to an error, unless it is the store's, which knows where it is.
func (f *fileOut) located(err error, column, format string) error {
	if f.failed != nil {
		return err
	}
	return errs.Locate(err, errs.At{Format: format, Column: column})
}

// rowset is the rowset that is being written: its columns' files, and those of its key. They are used again for the next.
type rowset struct {
	d       *driver
	columns []columnOut
	key     *keyOut // nil = there is none
	open    bool
	rows    int64
}

func newRowset(d *driver) *rowset {
	r := &rowset{d: d, columns: make([]columnOut, len(d.columns))}
	for i := range r.columns {
		r.columns[i].column = &d.columns[i]
	}
	if d.keys > 0 || d.indexed >= 0 {
		r.key = newKeyOut(d)
	}
	return r
}

// begin creates the files of rowset number i.
func (r *rowset) begin(ctx context.Context, st arrowio.Store, i int) error {
	r.open, r.rows = true, 0
	dir := ""
	if r.d.rolls() {
		dir = fmt.Sprintf("rowset-%05d/", i)
	}
	for i := range r.columns {
		c := &r.columns[i]
		if err := c.file.create(ctx, st, dir+c.column.file); err != nil {
			return err
		}
		s := cfilewire.ColumnSettings(c.wire.Type, c.wire.Encoding, c.wire.Compression, c.wire.Nullable, c.indexed)
		s.BlockSize, s.Version, s.IndexBlock, s.KeysLast = int(c.wire.BlockSize), r.d.version, r.d.indexBlock, c.indexed && r.d.kept
		if err := c.out.Open(s, c.file.write); err != nil {
			return c.file.located(err, c.wire.Name, r.d.format)
		}
		for _, m := range r.d.meta {
			c.out.AddMeta(m.Key, m.Value)
		}
	}
	if r.key != nil {
		return r.key.begin(ctx, st, dir)
	}
	return nil
}

// begin creates the files of a rowset.
func (k *keyOut) begin(ctx context.Context, st arrowio.Store, dir string) error {
	k.rowsHere, k.least = 0, k.least[:0]
	if k.lone {
		k.any, k.broken = false, false // each file is for itself
		return nil
	}
	if k.composite {
		if err := k.indexFile.create(ctx, st, dir+keyIndexFile); err != nil {
			return err
		}
		s := cfilewire.KeyIndexSettings()
		s.Version, s.IndexBlock = k.d.version, k.d.indexBlock
		if err := k.index.Open(s, k.indexFile.write); err != nil {
			return k.indexFile.located(err, k.d.keyNames(), k.d.format)
		}
	}
	if err := k.bloomFile.create(ctx, st, dir+bloomFile); err != nil {
		return err
	}
	if err := k.bloom.Open(0, 0, k.bloomFile.write); err != nil {
		return k.bloomFile.located(err, k.d.keyNames(), k.d.format)
	}
	return nil
}

// size returns how many bytes are written. What each file's block has comes on top.
func (r *rowset) size() (n int64) {
	for i := range r.columns {
		n += r.columns[i].file.size
	}
	if r.key != nil {
		n += r.key.indexFile.size + r.key.bloomFile.size
	}
	return n
}

// end finishes the files, side by side as each does it, and says what the rowset is.
func (r *rowset) end(each func(n int, f func(i int) error) error) (kuduwire.SetRowSet, error) {
	r.open = false
	n := len(r.columns)
	err := each(n+2, func(i int) error {
		switch {
		case i < n:
			c := &r.columns[i]
			if c.indexed && r.key.broken {
				c.out.ForgetKeys()
			}
			_, err := c.out.Finish()
			if err != nil {
				return c.file.located(err, c.wire.Name, r.d.format)
			}
			return c.file.close()
		case r.key == nil, r.key.lone, i == n && !r.key.composite:
			return nil
		case i == n:
			return r.key.finish(func() error { _, err := r.key.index.Finish(); return err }, &r.key.indexFile)
		}
		return r.key.finish(func() error { _, err := r.key.bloom.Finish(); return err }, &r.key.bloomFile)
	})
	set := kuduwire.SetRowSet{Rows: r.rows}
	if err != nil {
		return set, err
	}
	entry := func(f *fileOut) kuduwire.SetFile { return kuduwire.SetFile{Name: f.name, Bytes: f.size} }
	for i := range r.columns {
		set.Columns = append(set.Columns, entry(&r.columns[i].file))
	}
	if k := r.key; k != nil && !k.lone {
		bloom := entry(&k.bloomFile)
		set.Bloom = &bloom
		if k.composite {
			index := entry(&k.indexFile)
			set.Keys = &index
		}
		set.MinKey, set.MaxKey = append([]byte{}, k.least...), append([]byte{}, k.last...)
	}
	return set, nil
}

func (k *keyOut) finish(finish func() error, f *fileOut) error {
	if err := finish(); err != nil {
		return f.located(err, k.d.keyNames(), k.d.format)
	}
	return f.close()
}

// abort closes what is open.
func (r *rowset) abort() error {
	var all []error
	for i := range r.columns {
		all = append(all, r.columns[i].file.close())
	}
	if r.key != nil {
		all = append(all, r.key.indexFile.close(), r.key.bloomFile.close())
	}
	return errors.Join(all...)
}
