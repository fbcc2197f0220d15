package icebergtable

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergcatalog"
)

// catalog says which state of a table is the current one.
type catalog interface {
	// load returns the current state; fs.ErrNotExist = there is no table.
	load(ctx context.Context) (*base, error)
	// stage returns the state of a new table, which does not exist before commit.
	stage(ctx context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error)
	// commit makes a snapshot the current one. errConflict = the table is in another state than b; errUnknown = nobody knows.
	commit(ctx context.Context, w *writer, b *base, p *prepared) error
	// canCreate reports whether new tables go here, and why not.
	canCreate(ctx context.Context) error
}

var (
	errConflict = icebergcatalog.ErrConflict
	errUnknown  = icebergcatalog.ErrUnknown
)

// restCatalog is a table of a REST catalog.
type restCatalog struct{ *icebergcatalog.Table }

func (c restCatalog) load(ctx context.Context) (*base, error) {
	text, where, err := c.Load(ctx)
	if err != nil {
		return nil, err
	}
	return parseBase(text, where)
}

func (c restCatalog) canCreate(context.Context) error { return nil }

func (c restCatalog) stage(ctx context.Context, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	schema, err := iceberg.SchemaJSON(fields)
	if err != nil {
		return nil, err
	}
	given := map[string]string{"format-version": string(rune('0' + version))}
	for k, v := range props {
		given[k] = v
	}
	text, err := c.Stage(ctx, map[string]any{
		"schema": schema, "partition-spec": map[string]any{"spec-id": 0, "fields": spec}, "properties": given,
	})
	if err != nil {
		return nil, err
	}
	return parseBase(text, "")
}

func (c restCatalog) commit(ctx context.Context, _ *writer, b *base, p *prepared) error {
	ref := b.main(p.ID)
	ref["action"], ref["ref-name"] = "set-snapshot-ref", "main"
	updates := []any{map[string]any{"action": "add-snapshot", "snapshot": p.snapshotDocument}, ref}
	requirements := []any{map[string]any{"type": "assert-table-uuid", "uuid": b.meta.UUID}}
	if b.where == "" {
		requirements = []any{map[string]any{"type": "assert-create"}}
		updates = append(b.creation(), updates...)
	} else {
		var parent any
		if p.Parent != nil {
			parent = *p.Parent
		}
		requirements = append(requirements, map[string]any{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": parent})
	}
	err := c.Commit(ctx, requirements, updates)
	if !errors.Is(err, errUnknown) {
		return err
	}
	// Its snapshot tells, if it is there. That it is not tells nothing: the catalog may still be at work.
	if now, lerr := c.load(context.WithoutCancel(ctx)); lerr == nil && now.meta.Snapshot(p.ID) != nil {
		return nil
	}
	return err
}

// creation are the updates that make a staged table.
func (b *base) creation() []any {
	raw := func(key string) json.RawMessage { return b.raw[key] }
	first := func(key string) json.RawMessage {
		var all []json.RawMessage
		if json.Unmarshal(b.raw[key], &all) != nil || len(all) == 0 {
			return nil
		}
		return all[0]
	}
	out := []any{
		map[string]any{"action": "assign-uuid", "uuid": b.meta.UUID},
		map[string]any{"action": "upgrade-format-version", "format-version": b.meta.Version},
		map[string]any{"action": "add-schema", "schema": b.schema(), "last-column-id": raw("last-column-id")},
		map[string]any{"action": "set-current-schema", "schema-id": -1},
		map[string]any{"action": "add-spec", "spec": first("partition-specs")},
		map[string]any{"action": "set-default-spec", "spec-id": -1},
		map[string]any{"action": "add-sort-order", "sort-order": first("sort-orders")},
		map[string]any{"action": "set-default-sort-order", "sort-order-id": -1},
		map[string]any{"action": "set-location", "location": b.meta.Location},
	}
	if len(b.meta.Props) > 0 {
		out = append(out, map[string]any{"action": "set-properties", "updates": b.meta.Props})
	}
	return out
}

// openCatalog finds the catalog of a table: that which iceberg://CATALOG/NAMESPACE.TABLE names, or the table's directory.
func openCatalog(ctx context.Context, name string, p place, o *tableOptions, most int64) (catalog, error) {
	rest, ok := strings.CutPrefix(name, Name+"://")
	if !ok {
		if len(o.catalog) > 0 {
			return nil, errs.Errorf(errs.ErrOption, "%w is for tables that are named iceberg://CATALOG/NAMESPACE.TABLE", errs.Opt(optionCatalog, ""))
		}
		return newDirectory(name, p, most)
	}
	catalog, table, _ := strings.Cut(rest, "/")
	if catalog == "" || table == "" {
		return nil, errs.Errorf(errs.ErrOption, "%q is not iceberg://CATALOG/NAMESPACE.TABLE", name)
	}
	props, err := icebergcatalog.Find(catalog, o.catalog)
	if err != nil {
		return nil, err
	}
	if t, err := props.SQL(table); t != nil || err != nil {
		return &sqlCatalog{SQLTable: t, place: p, most: most}, err
	}
	if at, err := props.Hive(table); at != "" || err != nil {
		if err != nil {
			return nil, err
		}
		return newHiveCatalog(at, props.Warehouse(), p, o.metastore, most)
	}
	t, err := props.Change(ctx, table, most, p.st.Lend)
	if err != nil {
		return nil, err
	}
	return restCatalog{t}, nil
}

// noTable reports whether an error of load says that there is no table.
func noTable(err error) bool { return errors.Is(err, fs.ErrNotExist) }
