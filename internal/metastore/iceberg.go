package metastore

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// ErrNoTable says that there is no table of this name, or no database.
var ErrNoTable = errors.New("has no table")

// Expected is a parameter that a table must have when it is changed, which metastores since Hive 4 check themselves.
type Expected struct{ Key, Value string }

// SetParameters sets parameters of a table, and removes those that are set to "".
func (c *Client) SetParameters(ctx context.Context, t *StoredTable, set map[string]string, expected Expected) error {
	parameters := t.whole.TextMap(9)
	maps.Copy(parameters, set)
	maps.DeleteFunc(parameters, func(_, v string) bool { return v == "" })
	how := asIs().TextMap(1)
	how["expected_parameter_key"], how["expected_parameter_value"] = expected.Key, expected.Value
	return c.alter(ctx, t, t.whole.shallow().setTextMap(9, parameters), (&Struct{}).setTextMap(1, how))
}

// Changed reports whether an error of SetParameters says that the table had another value of the parameter.
func Changed(err error) bool {
	var refused *Refused
	return errors.As(err, &refused) && strings.Contains(refused.Text, "has been modified")
}

// NewTable is a table to be created, whose rows somebody else knows to find.
type NewTable struct {
	Name       Name
	Location   string
	Columns    []Column
	Parameters map[string]string
}

// CreateExternal creates a table. One that exists is a Refused with the Exception 1.
func (c *Client) CreateExternal(ctx context.Context, t NewTable) error {
	columns := &list{of: thrift.STRUCT}
	for _, x := range t.Columns {
		columns.values = append(columns.values, (&Struct{}).setText(1, x.Name).setText(2, x.Type))
	}
	none := func() *list { return &list{of: thrift.STRUCT} }
	serde := (&Struct{}).setText(2, "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe").setTextMap(3, nil)
	storage := (&Struct{}).set(1, thrift.LIST, columns).setText(2, t.Location).setText(3, "org.apache.hadoop.mapred.FileInputFormat")
	storage.setText(4, "org.apache.hadoop.mapred.FileOutputFormat").set(5, thrift.BOOL, false).setInt32(6, 0).set(7, thrift.STRUCT, serde)
	storage.setTexts(8, nil).set(9, thrift.LIST, none()).setTextMap(10, nil)
	now := int32(min(time.Now().Unix(), 1<<31-1))
	table := (&Struct{}).setText(1, t.Name.Table).setText(2, t.Name.Database).setText(3, userName()).setInt32(4, now).setInt32(5, now).setInt32(6, 0)
	table.set(7, thrift.STRUCT, storage).set(8, thrift.LIST, none()).setTextMap(9, t.Parameters).setText(12, "EXTERNAL_TABLE")
	if t.Name.Catalog != "" {
		table.setText(17, t.Name.Catalog)
	}
	return c.call(ctx, "create_table", func(w *encoder) {
		w.structure(1, func() { w.whole(table) })
	}, nil)
}

// DatabaseLocation returns where the tables of a table's database go. One that does not exist is errs.ErrOption.
func (c *Client) DatabaseLocation(ctx context.Context, of Name) (location string, err error) {
	err = c.call(ctx, "get_database", func(w *encoder) { w.text(1, of.database()) }, func(d *decoder) {
		d.structure(func(id int16) {
			if id == 3 {
				d.text(&location)
			}
		})
	})
	var refused *Refused
	if errors.As(err, &refused) && refused.Exception == 1 {
		return "", errs.Errorf(errs.ErrOption, "the metastore at %s has no database %s: make it first", c.addr, strings.TrimSuffix(of.String(), "."+of.Table))
	}
	return location, err
}
