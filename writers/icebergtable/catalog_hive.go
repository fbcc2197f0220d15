package icebergtable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/metastore"
)

// hiveCatalog is a table that a metastore of Hive keeps: a parameter of the table there says which file of metadata is the current one.
type hiveCatalog struct {
	place
	most      int64
	at        metastore.Address
	warehouse string
	o         metastore.Options
}

// Parameters of tables in the metastore.
const (
	paramWhere    = "metadata_location"
	paramPrevious = "previous_metadata_location"
	paramType     = "table_type"
	paramID       = "current-snapshot-id" // as the next two what Iceberg's own catalog keeps
	paramTime     = "current-snapshot-timestamp-ms"
	paramSummary  = "current-snapshot-summary"
)

func newHiveCatalog(url, warehouse string, p place, o metastore.Options, most int64) (*hiveCatalog, error) {
	at, err := metastore.ParseURL(url)
	o.Bytes = most
	return &hiveCatalog{p, most, at, warehouse, o}, err
}

// with calls do with a connection.
func (c *hiveCatalog) with(ctx context.Context, do func(m *metastore.Client) error) error {
	m, err := metastore.Dial(ctx, c.at.Server, c.o)
	if err != nil {
		return err
	}
	return errors.Join(do(m), m.Close())
}

// table returns the table in the metastore. fs.ErrNotExist = there is none.
func (c *hiveCatalog) table(ctx context.Context, m *metastore.Client) (*metastore.StoredTable, error) {
	t, err := m.StoredTable(ctx, c.at.Name)
	switch {
	case errors.Is(err, metastore.ErrNoTable):
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case err != nil:
		return nil, err
	case !strings.EqualFold(t.Parameters[paramType], "iceberg"):
		return nil, errs.Errorf(errs.ErrUnsupported, "table %s of the metastore at %s is none of Iceberg: name it hive://%s/%s", c.at.Name, c.at.Server, c.at.Server, c.at.Name)
	case t.Parameters[paramWhere] == "":
		return nil, errs.Errorf(errs.ErrCorrupt, "table %s of the metastore at %s does not say where its metadata are (%s)", c.at.Name, c.at.Server, paramWhere)
	}
	return t, nil
}

func (c *hiveCatalog) load(ctx context.Context) (b *base, err error) {
	var where string
	err = c.with(ctx, func(m *metastore.Client) error {
		t, err := c.table(ctx, m)
		if err == nil {
			where = t.Parameters[paramWhere]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.state(ctx, where, c.most)
}

// newLocation returns where a new table goes.
func (c *hiveCatalog) newLocation(ctx context.Context) (location string, err error) {
	err = c.with(ctx, func(m *metastore.Client) error {
		location, err = m.DatabaseLocation(ctx, c.at.Name)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case location != "":
		return strings.TrimRight(location, "/") + "/" + c.at.Table, nil
	case c.warehouse != "":
		return c.warehouse + "/" + c.at.Database + ".db/" + c.at.Table, nil
	}
	return "", errs.Errorf(errs.ErrOption, "neither the catalog has a property warehouse, nor the database %s a location: nothing says where new tables go", c.at.Database)
}

func (c *hiveCatalog) canCreate(ctx context.Context) error {
	_, err := c.newLocation(ctx)
	return err
}

func (c *hiveCatalog) stage(ctx context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	location, err := c.newLocation(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := hiveColumns(fields); err != nil {
		return nil, err
	}
	return newTable(location, version, fields, spec, props)
}

// commit changes the table under a lock of the metastore, as Iceberg's own catalog does, and has metastores that can check the state themselves.
func (c *hiveCatalog) commit(ctx context.Context, w *writer, b *base, p *prepared) error {
	to, err := w.putState(ctx, b, p)
	if err != nil {
		return err
	}
	sent := false // what may have changed the table
	err = c.with(ctx, func(m *metastore.Client) (err error) {
		l, err := m.Lock(ctx, c.at.Database, c.at.Table)
		if err != nil {
			return err
		}
		defer func() {
			if e := l.Unlock(ctx); e != nil && err != nil {
				err = errors.Join(err, e) // a lock that stays ends by itself
			}
		}()
		if b.where == "" {
			sent = true
			return c.create(context.WithoutCancel(ctx), m, b, p, to)
		}
		t, err := c.table(ctx, m)
		if err != nil {
			return err
		}
		if now := t.Parameters[paramWhere]; now != b.where {
			return fmt.Errorf("%w: its metadata are %s now, and were %s", errConflict, now, b.where)
		}
		set, err := c.parameters(b, p, to, t.Parameters)
		if err != nil {
			return err
		}
		if err := l.Held(ctx); err != nil {
			return err
		}
		sent = true
		return m.SetParameters(context.WithoutCancel(ctx), t, set, metastore.Expected{Key: paramWhere, Value: b.where})
	})
	if err == nil || !sent {
		return err
	}
	return c.outcome(context.WithoutCancel(ctx), b, p, err)
}

// outcome says what became of a change of which the metastore has answered err, or nothing.
func (c *hiveCatalog) outcome(ctx context.Context, b *base, p *prepared, err error) error {
	now, lerr := c.load(ctx)
	if lerr == nil && now.meta.Snapshot(p.ID) != nil {
		return nil
	}
	var refused *metastore.Refused
	known := errors.As(err, &refused)
	switch {
	case known && (lerr == nil && now.where != b.where || metastore.Changed(err)):
		return fmt.Errorf("%w: %w", errConflict, err)
	case known:
		return err
	}
	return fmt.Errorf("%w: %w", errUnknown, err) // the metastore may still be at work
}

// parameters are those of the table in the metastore that a change sets.
func (c *hiveCatalog) parameters(b *base, p *prepared, to string, old map[string]string) (map[string]string, error) {
	set := map[string]string{paramWhere: to, paramPrevious: b.where}
	for key := range old {
		if metastore.Counts(key) {
			set[key] = "" // Hive answers queries from them
		}
	}
	if old[paramID] != "" {
		summary, err := json.Marshal(p.Summary)
		if err != nil {
			return nil, err
		}
		if len(summary) > 4000 { // what databases of metastores hold
			summary = nil
		}
		set[paramID], set[paramTime], set[paramSummary] = strconv.FormatInt(p.ID, 10), strconv.FormatInt(p.Time, 10), string(summary)
	}
	return set, nil
}

// create makes the table in the metastore.
func (c *hiveCatalog) create(ctx context.Context, m *metastore.Client, b *base, p *prepared, to string) error {
	fields, err := b.fields()
	if err != nil {
		return err
	}
	t := metastore.NewTable{Name: c.at.Name, Location: b.location(), Parameters: map[string]string{}}
	if t.Columns, err = hiveColumns(fields); err != nil {
		return err
	}
	for k, v := range b.meta.Props {
		t.Parameters[k] = v
	}
	t.Parameters["EXTERNAL"], t.Parameters[paramType], t.Parameters[paramWhere] = "TRUE", "ICEBERG", to
	t.Parameters["uuid"] = b.meta.UUID
	return m.CreateExternal(ctx, t)
}

// hiveColumns returns the columns of a table as Hive calls their types.
func hiveColumns(fields []iceberg.Field) (out []metastore.Column, err error) {
	for _, f := range fields {
		typ, err := hiveType(&f.Type)
		if err != nil {
			return nil, errs.Locate(err, errs.At{Column: f.Name})
		}
		out = append(out, metastore.Column{Name: strings.ToLower(f.Name), Type: typ})
	}
	return out, nil
}

// hiveTypes are Hive's types, as Iceberg's own catalog has them.
var hiveTypes = map[iceberg.Kind]string{
	iceberg.Boolean: "boolean", iceberg.Int: "int", iceberg.Long: "bigint", iceberg.Float: "float", iceberg.Double: "double", iceberg.Date: "date",
	iceberg.Time: "string", iceberg.Timestamp: "timestamp", iceberg.TimestampTZ: "timestamp with local time zone", iceberg.String: "string",
	iceberg.UUID: "string", iceberg.Fixed: "binary", iceberg.Binary: "binary", iceberg.TimestampNS: "timestamp", iceberg.TimestampTZNS: "timestamp with local time zone",
	iceberg.Unknown: "void",
}

func hiveType(t *iceberg.Type) (string, error) {
	of := make([]string, len(t.Fields))
	for i := range t.Fields {
		var err error
		if of[i], err = hiveType(&t.Fields[i].Type); err != nil {
			return "", err
		}
	}
	switch t.Kind {
	case iceberg.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale), nil
	case iceberg.List:
		return "array<" + of[0] + ">", nil
	case iceberg.Map:
		return "map<" + strings.Join(of, ",") + ">", nil
	case iceberg.Struct:
		for i, f := range t.Fields {
			of[i] = f.Name + ":" + of[i]
		}
		return "struct<" + strings.Join(of, ",") + ">", nil
	}
	if name, ok := hiveTypes[t.Kind]; ok {
		return name, nil
	}
	return "", errs.Errorf(errs.ErrUnsupported, "Hive's metastore has no type for %s", t)
}
