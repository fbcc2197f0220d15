package metastore

import (
	"context"
	"slices"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// StoredTable is a table with all that the metastore says of it, so that it can be changed.
type StoredTable struct {
	Table
	whole *Struct
}

// StoredPartition is a partition with all that the metastore says of it.
type StoredPartition struct {
	Partition
	Parameters map[string]string
	whole      *Struct
}

// StoredTable returns a table to be changed. One that does not exist is errs.ErrOption.
func (c *Client) StoredTable(ctx context.Context, n Name) (*StoredTable, error) {
	t := &StoredTable{whole: &Struct{}}
	err := c.askTable(ctx, n, func(d *decoder) {
		*t.whole = Struct{}
		d.whole(t.whole)
	})
	if err == nil {
		err = typed(t.whole, func(d *decoder) { d.table(&t.Table) })
	}
	if err == nil {
		err = c.isTable(&t.Table, n)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// StoredPartitions returns the partitions with these names, in the order of their values. Those that do not exist are missing.
func (c *Client) StoredPartitions(ctx context.Context, t *StoredTable, names []string) (out []StoredPartition, err error) {
	err = c.inParts(ctx, t.Named(), names, func(d *decoder) {
		p := StoredPartition{whole: &Struct{}}
		d.whole(p.whole)
		out = append(out, p)
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		p := &out[i]
		if err := typed(p.whole, func(d *decoder) { d.partition(&p.Partition) }); err != nil {
			return nil, err
		}
		p.Parameters = p.whole.TextMap(7)
	}
	slices.SortFunc(out, func(a, b StoredPartition) int { return slices.Compare(a.Values, b.Values) })
	return out, nil
}

// NewPartition is a partition to be added.
type NewPartition struct {
	Values   []string
	Location string
}

// AddPartitions adds partitions that are stored as the table is, all or none. If one exists, it is a Refused with the Exception 2.
func (c *Client) AddPartitions(ctx context.Context, t *StoredTable, add []NewPartition) error {
	storage := t.whole.Struct(7)
	if storage == nil {
		return errs.Errorf(errs.ErrCorrupt, "the metastore at %s does not say how table %s is stored", c.addr, t.Named())
	}
	l := &list{of: thrift.STRUCT}
	now := int32(min(time.Now().Unix(), 1<<31-1))
	for _, p := range add {
		s := (&Struct{}).setTexts(1, p.Values).setText(2, t.Database).setText(3, t.Name).setInt32(4, now).setInt32(5, 0)
		s.set(6, thrift.STRUCT, storage.shallow().setText(2, p.Location)).setTextMap(7, nil)
		if t.Catalog != "" {
			s.setText(9, t.Catalog)
		}
		l.values = append(l.values, s)
	}
	request := (&Struct{}).setText(1, t.Database).setText(2, t.Name).set(3, thrift.LIST, l)
	request.set(4, thrift.BOOL, false) // one that exists is an error
	request.set(5, thrift.BOOL, false)
	if t.Catalog != "" {
		request.setText(6, t.Catalog)
	}
	return c.call(ctx, "add_partitions_req", func(w *encoder) {
		w.structure(1, func() { w.whole(request) })
	}, func(*decoder) {})
}

// statistics are the parameters of tables and partitions that say how many rows and files they have. Queries are answered from them.
var statistics = []string{"COLUMN_STATS_ACCURATE", "numRows", "numFiles", "totalSize", "rawDataSize", "numFilesErasureCoded"}

// Counts reports whether a parameter is one of them.
func Counts(key string) bool { return slices.Contains(statistics, key) }

// Counted reports whether parameters say how many rows or files there are.
func Counted(parameters map[string]string) bool {
	return slices.ContainsFunc(statistics, func(key string) bool { return parameters[key] != "" })
}

// uncounted sets the field of parameters to those that are no statistics.
func uncounted(s *Struct, id int16) *Struct {
	parameters := s.TextMap(id)
	for _, key := range statistics {
		delete(parameters, key)
	}
	return s.shallow().setTextMap(id, parameters)
}

// asIs tells the metastore not to count files itself.
func asIs() *Struct {
	return (&Struct{}).setTextMap(1, map[string]string{"DO_NOT_UPDATE_STATS": "true"})
}

// ForgetTable removes the statistics of a table, because rows are about to be added.
func (c *Client) ForgetTable(ctx context.Context, t *StoredTable) error {
	return c.alter(ctx, t, uncounted(t.whole, 9), asIs())
}

// alter puts what a table shall be in its place.
func (c *Client) alter(ctx context.Context, t *StoredTable, to, environment *Struct) error {
	return c.call(ctx, "alter_table_with_environment_context", func(w *encoder) {
		w.text(1, t.Named().database())
		w.text(2, t.Name)
		w.structure(3, func() { w.whole(to) })
		w.structure(4, func() { w.whole(environment) })
	}, nil)
}

// ForgetPartitions removes the statistics of partitions.
func (c *Client) ForgetPartitions(ctx context.Context, t *StoredTable, parts []StoredPartition) error {
	for some := range slices.Chunk(parts, mostPartitions) {
		l := &list{of: thrift.STRUCT}
		for _, p := range some {
			l.values = append(l.values, uncounted(p.whole, 7))
		}
		arguments := (&Struct{}).setText(1, t.Named().database()).setText(2, t.Name).set(3, thrift.LIST, l).set(4, thrift.STRUCT, asIs())
		if err := c.call(ctx, "alter_partitions_with_environment_context", func(w *encoder) { w.whole(arguments) }, nil); err != nil {
			return err
		}
	}
	return nil
}
