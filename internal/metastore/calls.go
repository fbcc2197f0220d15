package metastore

import (
	"context"
	"errors"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Column is a column of a table.
type Column struct{ Name, Type string } // the type in Hive's notation

// Storage says how the files of a table or a partition are stored.
type Storage struct {
	Columns         []Column
	Location        string
	InputFormat     string // a Java class, as the next two
	OutputFormat    string
	SerDe           string
	SerDeParameters map[string]string
	Parameters      map[string]string
	Buckets         int32 // files by the hash of columns; 0 or less = none
	BucketColumns   []string
	Directories     bool // skewed values have directories of their own
}

// Table is what the metastore says of a table.
type Table struct {
	Catalog        string // "" = the metastore's default, and the table was asked for so
	Database, Name string
	Kind           string // MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW, MATERIALIZED_VIEW
	Storage        Storage
	Keys           []Column // by which it is partitioned
	Parameters     map[string]string
}

// Named returns the name of the table.
func (t *Table) Named() Name { return Name{t.Catalog, t.Database, t.Name} }

// Partition is what the metastore says of a partition.
type Partition struct {
	Values  []string // of the table's Keys, as texts
	Storage Storage
}

func (d *decoder) columns(to *[]Column) {
	d.list(func() {
		var c Column
		d.structure(func(id int16) {
			switch id {
			case 1:
				d.text(&c.Name)
			case 2:
				d.text(&c.Type)
			}
		})
		*to = append(*to, c)
	})
}

func (d *decoder) storage(to *Storage) {
	d.structure(func(id int16) {
		switch id {
		case 1:
			d.columns(&to.Columns)
		case 2:
			d.text(&to.Location)
		case 3:
			d.text(&to.InputFormat)
		case 4:
			d.text(&to.OutputFormat)
		case 6:
			d.int32(&to.Buckets)
		case 7:
			d.structure(func(id int16) {
				switch id {
				case 2:
					d.text(&to.SerDe)
				case 3:
					d.textMap(&to.SerDeParameters)
				}
			})
		case 8:
			d.texts(&to.BucketColumns)
		case 10:
			d.textMap(&to.Parameters)
		case 12:
			d.bool(&to.Directories)
		}
	})
}

func (d *decoder) table(to *Table) {
	d.structure(func(id int16) {
		switch id {
		case 1:
			d.text(&to.Name)
		case 2:
			d.text(&to.Database)
		case 7:
			d.storage(&to.Storage)
		case 8:
			d.columns(&to.Keys)
		case 9:
			d.textMap(&to.Parameters)
		case 12:
			d.text(&to.Kind)
		case 17:
			d.text(&to.Catalog)
		}
	})
}

// Table returns a table. One that does not exist is errs.ErrOption.
func (c *Client) Table(ctx context.Context, n Name) (*Table, error) {
	t := &Table{}
	err := c.askTable(ctx, n, func(d *decoder) {
		*t = Table{}
		d.table(t)
	})
	if err == nil {
		err = c.isTable(t, n)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// askTable asks for a table, which read reads.
func (c *Client) askTable(ctx context.Context, n Name, read func(d *decoder)) error {
	const insertOnly = 2 // a capability of clients: without it such tables are refused
	err := c.call(ctx, "get_table_req", func(w *encoder) {
		w.structure(1, func() {
			w.text(1, n.Database)
			w.text(2, n.Table)
			w.structure(3, func() { w.int32s(1, insertOnly) })
			if n.Catalog != "" {
				w.text(4, n.Catalog)
			}
		})
	}, func(d *decoder) {
		d.structure(func(id int16) {
			if id == 1 {
				read(d)
			}
		})
	})
	var refused *Refused
	if errors.As(err, &refused) && refused.Unknown { // before Hive 2.3
		if n.Catalog != "" {
			return c.noCatalogs(n)
		}
		err = c.call(ctx, "get_table", func(w *encoder) {
			w.text(1, n.Database)
			w.text(2, n.Table)
		}, read)
	}
	const noSuchObject = 2
	if errors.As(err, &refused) && refused.Exception == noSuchObject {
		return errs.Errorf(errs.ErrOption, "the metastore at %s %w %s", c.addr, ErrNoTable, n)
	}
	return err
}

// isTable checks that an answer is about the table that was asked for.
func (c *Client) isTable(t *Table, n Name) error {
	if n.Catalog != "" && t.Catalog == "" { // it has passed over the field with the catalog
		return c.noCatalogs(n)
	}
	if !strings.EqualFold(t.Database, n.Database) || !strings.EqualFold(t.Name, n.Table) || n.Catalog != "" && !strings.EqualFold(t.Catalog, n.Catalog) {
		return errs.Errorf(errs.ErrCorrupt, "the metastore at %s was asked for table %s, and answered with %s", c.addr, n, t.Named())
	}
	t.Catalog = n.Catalog
	return nil
}

// noCatalogs is the error of metastores that have one catalog, and do not look at the name of another.
func (c *Client) noCatalogs(n Name) error {
	return errs.Errorf(errs.ErrUnsupported, "the metastore at %s has no catalogs, as those before Hive 3: name the table %s.%s", c.addr, n.Database, n.Table)
}

// Transactions returns which transactions count now.
func (c *Client) Transactions(ctx context.Context) (*IDs, error) {
	l := &IDs{High: -1}
	var ids []int64
	var aborted []byte
	err := c.call(ctx, "get_open_txns", func(*encoder) {}, func(d *decoder) {
		d.structure(func(id int16) {
			switch id {
			case 1:
				d.int64(&l.High)
			case 2:
				d.int64s(&ids)
			case 4:
				d.bytes(&aborted)
			}
		})
	})
	if err == nil && l.High < 0 {
		err = errs.Errorf(errs.ErrCorrupt, "the metastore at %s does not say which transactions there are", c.addr)
	}
	if err != nil {
		return nil, err
	}
	l.divide(ids, aborted)
	return l, nil
}

// WriteIDs returns which write ids of a table count for a reader that sees the transactions of at. They know no catalogs: Hive takes transactions
// in the one called hive alone.
func (c *Client) WriteIDs(ctx context.Context, database, table string, at *IDs) (*IDs, error) {
	name := strings.ToLower(database + "." + table)
	l := &IDs{High: -1}
	var ids []int64
	var aborted []byte
	answers, said := 0, ""
	err := c.call(ctx, "get_valid_write_ids", func(w *encoder) {
		w.structure(1, func() {
			w.texts(1, []string{name})
			w.text(2, at.forHive())
		})
	}, func(d *decoder) {
		d.structure(func(id int16) {
			if id != 1 {
				return
			}
			d.list(func() {
				answers++
				d.structure(func(id int16) {
					switch id {
					case 1:
						d.text(&said)
					case 2:
						d.int64(&l.High)
					case 3:
						d.int64s(&ids)
					case 5:
						d.bytes(&aborted)
					}
				})
			})
		})
	})
	if err == nil && (answers != 1 || !strings.EqualFold(said, name) || l.High < 0) {
		err = errs.Errorf(errs.ErrCorrupt, "the metastore at %s does not say which write ids of table %s there are", c.addr, name)
	}
	if err != nil {
		return nil, err
	}
	l.divide(ids, aborted)
	return l, nil
}
