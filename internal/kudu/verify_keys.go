package kudu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const whatBloom, whatIndex = "bloom filters", "key index"

// keyFile opens the file that has the rowset's keys in its value index. It is nil where a fault hides them.
func (c *rowsetCheck) keyFile() (*cfile.Reader, io.Closer, uint64, string, error) {
	id, what := c.rs.meta.AdHoc, whatIndex
	if !c.rs.meta.HasAdHoc {
		if len(c.keys) != 1 {
			return nil, nil, 0, "", nil
		}
		id, what = c.keys[0], columnName(c.rs.tablet.schema, c.rs.tablet.schema.Columns[0].ID)
	}
	if c.bad[id] {
		return nil, nil, 0, "", nil
	}
	r, closer, err := c.File.block(c.ctx, id, what)
	return r, closer, id, what, err
}

// index checks the key index, and the least and the greatest key.
func (c *rowsetCheck) index() error {
	meta := c.rs.meta
	if meta.HasAdHoc {
		err := c.check(meta.AdHoc, whatIndex, cfile.CheckOptions{}, func(r *cfile.Reader) error {
			switch {
			case r.Kind() != cfilewire.KeyIndexFile:
				return corrupt("it is a %v file", r.Kind())
			case c.rs.rows >= 0 && r.Rows() != c.rs.rows:
				return corrupt("it has %d keys, the rowset %d rows", r.Rows(), c.rs.rows)
			}
			return nil
		})
		if err != nil {
			return err
		}
	} else if len(c.keys) > 1 {
		if err := c.fault(inRowSet(corrupt("the key has %d columns, and there is no index of it", len(c.keys)), c.rs)); err != nil {
			return err
		}
	}
	r, closer, id, what, err := c.keyFile()
	if r == nil {
		return err
	}
	defer closer.Close()
	for _, x := range []struct {
		name string
		said []byte
		meta string
	}{{"least", meta.MinKey, cfilewire.MetaMinKey}, {"greatest", meta.MaxKey, cfilewire.MetaMaxKey}} {
		is, ok := r.Footer().Lookup(x.meta)
		if ok && len(x.said) > 0 && !bytes.Equal(is, x.said) {
			err := corrupt("the superblock says that the %s key is %s, the file of the keys %s", x.name,
				keyText(c.rs.tablet.schema, x.said), keyText(c.rs.tablet.schema, is))
			if err := c.fault(inRowSet(c.inBlock(err, id, what), c.rs)); err != nil {
				return err
			}
		}
	}
	if r.Footer().Val == nil && c.rs.rows > 0 {
		c.bad[id] = true
		return c.fault(inRowSet(c.inBlock(corrupt("it has no index of keys"), id, what), c.rs))
	}
	if !meta.HasAdHoc {
		return nil
	}
	for _, k := range c.keys {
		if c.bad[k] {
			return nil
		}
	}
	if len(c.keys) == 0 {
		return nil
	}
	return c.fault(inRowSet(c.inBlock(c.compareKeys(r), id, what), c.rs))
}

// bloom checks the filters.
func (c *rowsetCheck) bloom() error {
	if !c.rs.meta.HasBloom {
		return nil
	}
	id := c.rs.meta.Bloom
	if err := c.check(id, whatBloom, cfile.CheckOptions{}, nil); err != nil || c.bad[id] {
		return err
	}
	keys, closer, _, _, err := c.keyFile()
	if keys == nil {
		return err
	}
	defer closer.Close()
	filters, fc, err := c.File.block(c.ctx, id, whatBloom)
	if err != nil {
		return c.fault(inRowSet(err, c.rs))
	}
	defer fc.Close()
	return cfile.CheckBloom(c.ctx, filters, keys, func(err error) { c.report(inRowSet(c.inBlock(err, id, whatBloom), c.rs)) })
}

// compareRows is how many rows of the key columns are compared at a time.
const compareRows = 4096

// compareKeys compares the key index with the key columns. The error is the fault: how many rows differ, and the first.
func (c *rowsetCheck) compareKeys(index *cfile.Reader) error {
	keys, err := index.NewKeys(c.ctx)
	if err != nil {
		return err
	}
	columns, err := c.openKeys()
	defer func() {
		for _, k := range columns {
			k.close()
		}
	}()
	if err != nil {
		return err
	}
	differ, first := int64(0), int64(0)
	var key []byte
	for row := int64(0); row < c.rs.rows; {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := int(min(compareRows, c.rs.rows-row))
		for _, k := range columns {
			n = k.column.Fit(n, 16<<20)
		}
		for _, k := range columns {
			if err := k.read(n); err != nil {
				return err
			}
		}
		for i := range n {
			key = key[:0]
			for j, k := range columns {
				if key, err = cfilewire.AppendKey(key, k.kudu.Type, k.cell(i), j == len(columns)-1); err != nil {
					return err
				}
			}
			if !keys.Next() {
				if keys.Err == nil {
					keys.Err = corrupt("it ends at row %d of %d", row+int64(i), c.rs.rows)
				}
				return keys.Err
			}
			if keys.Row != row+int64(i) || !bytes.Equal(keys.Key, key) {
				if differ++; differ == 1 {
					first = row + int64(i)
				}
			}
		}
		row += int64(n)
	}
	if differ > 0 {
		return corrupt("%s other than the key columns have, the first in row %d", count(differ, "key"), first)
	}
	return nil
}

// keyColumn gives the cells of a column of the key.
type keyColumn struct {
	kudu   *kuduwire.Column
	column *cfile.Column
	closer io.Closer
	data   arrow.ArrayData // of the batch
	width  int             // of a slot; 0 = bytes
	slots  []byte
	values []byte
}

func (c *rowsetCheck) openKeys() (out []*keyColumn, err error) {
	s := c.rs.tablet.schema
	for i, id := range c.keys {
		k := &keyColumn{kudu: &s.Columns[i]}
		dt, _, err := cfilewire.ArrowType(k.kudu.Type, cfilewire.ArrowOptions{Precision: k.kudu.Precision, Scale: k.kudu.Scale, StringsBinary: true})
		if err != nil {
			return out, err
		}
		r, closer, err := c.File.block(c.ctx, id, "column "+k.kudu.Name)
		if err != nil {
			return out, err
		}
		k.closer = closer
		k.column, err = r.NewColumn(c.ctx, cfile.ColumnOptions{
			Field: arrow.Field{Name: k.kudu.Name, Type: dt}, Rows: arrowio.RowSet{{End: c.rs.rows}}, Mem: &arrowbuf.Arena{Allocator: arrowbuf.Shared()},
		})
		if err != nil {
			return out, errors.Join(err, closer.Close())
		}
		if t, ok := dt.(arrow.FixedWidthDataType); ok {
			k.width = t.BitWidth() / 8
		}
		out = append(out, k)
	}
	return out, nil
}

func (k *keyColumn) read(n int) error {
	if err := k.column.Read(n); err != nil {
		return fmt.Errorf("column %s: %w", k.kudu.Name, err)
	}
	if k.data != nil {
		k.data.Release()
	}
	k.data = k.column.Take()
	b := k.data.Buffers()
	if k.data.NullN() > 0 {
		return corrupt("column %s has nulls", k.kudu.Name)
	}
	k.slots, k.values = b[1].Bytes(), nil
	if k.width == 0 && b[2] != nil {
		k.values = b[2].Bytes()
	}
	return nil
}

// cell returns a cell of the batch, little-endian at the type's width, or bytes.
func (k *keyColumn) cell(i int) []byte {
	if k.width == 0 {
		at := k.slots[4*i:]
		return k.values[binary.NativeEndian.Uint32(at):binary.NativeEndian.Uint32(at[4:])]
	}
	return k.slots[i*k.width : i*k.width+k.kudu.Type.Width()]
}

func (k *keyColumn) close() {
	if k.data != nil {
		k.data.Release()
	}
	k.column.Release()
	_ = k.closer.Close()
}

// liveOnDisk counts the rows that are there after all changes on disk.
func (c *rowsetCheck) liveOnDisk() (int64, error) {
	latest := *c.rs
	var err error
	if latest.redo, err = c.openDeltas(c.ctx, c.rs, c.rs.meta.Redo, func(*cfilewire.DeltaStats) bool { return true }); err != nil {
		return 0, err
	}
	s := newState(arrowio.RowRange{End: c.rs.rows}, nil)
	if err := s.apply(c.ctx, &latest); err != nil || s.live == nil {
		return c.rs.rows, err
	}
	return int64(bitpack.CountBits(s.live, 0, int(c.rs.rows))), nil
}
