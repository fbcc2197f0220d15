package parquet

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// batchRows is how many rows are decoded at once.
const batchRows = 64 << 10

// rowGroup implements recordsplit.Source over the fetched columns of a row group.
type rowGroup struct {
	f     *parquetFile
	split arrowio.Split
	p     arrowio.Projection
	cols  []*column
	left  int64 // rows not handed out by Next
	lag   int64 // rows handed out but not loaded: to be passed over before the next are
	cur   int64 // rows of the batch that Next handed out last, 0 once loaded
}

// Next implements recordsplit.Source.
func (g *rowGroup) Next() (recordsplit.Batch, error) {
	g.lag += g.cur
	g.cur = min(g.left, batchRows)
	if g.cur == 0 {
		return recordsplit.Batch{}, io.EOF
	}
	g.left -= g.cur
	return recordsplit.Batch{Rows: g.cur, Load: g.load}, nil
}

func (g *rowGroup) load() (arrow.Record, error) {
	n := g.cur
	g.cur = 0
	cols := make([]arrow.Array, 0, len(g.cols))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range g.cols {
		arr, err := g.array(c, n, g.p.Schema.Field(i).Type)
		if err != nil {
			return nil, arrowio.Locate(err, arrowio.At{Format: "parquet", Column: g.p.Schema.Field(i).Name, Split: g.split.Ordinal, Off: -1})
		}
		cols = append(cols, arr)
	}
	g.lag = 0
	return array.NewRecord(g.p.Schema, cols, n), nil
}

// array decodes the next n rows of a column, after those that were passed over, as an array of type t.
func (g *rowGroup) array(c *column, n int64, t arrow.DataType) (arrow.Array, error) {
	var d arrow.ArrayData
	err := guard(func() (err error) {
		for lag := g.lag; lag > 0; lag -= min(lag, batchRows) {
			if err := c.load(min(lag, batchRows)); err != nil {
				return err
			}
		}
		if err := c.load(n); err != nil {
			return err
		}
		d, err = c.build(n)
		return err
	})
	if err != nil {
		return nil, kinded(err)
	}
	defer d.Release()
	if int64(d.Len()) != n {
		return nil, corrupt("%d rows where %d are left", d.Len(), n)
	}
	if err := arrowcheck.Data(d); err != nil {
		return nil, err
	}
	typed := as(d, t)
	defer typed.Release()
	return array.MakeFromData(typed), nil
}

// Close implements recordsplit.Source.
func (g *rowGroup) Close() error {
	for _, c := range g.cols {
		c.release()
	}
	g.cols = nil
	return nil
}
