package sql

import (
	"context"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/protobuf/proto"
)

// metadataSchema returns the schema of what a message asks for of the catalog; nil = it does not.
func metadataSchema(m proto.Message) *arrow.Schema {
	switch m := m.(type) {
	case *pb.CommandGetCatalogs:
		return schema_ref.Catalogs
	case *pb.CommandGetDbSchemas:
		return schema_ref.DBSchemas
	case *pb.CommandGetTables:
		if m.GetIncludeSchema() {
			return schema_ref.TablesWithIncludedSchema
		}
		return schema_ref.Tables
	case *pb.CommandGetTableTypes:
		return schema_ref.TableTypes
	case *pb.CommandGetSqlInfo:
		return schema_ref.SqlInfo
	case *pb.CommandGetXdbcTypeInfo:
		return schema_ref.XdbcTypeInfo
	case *pb.CommandGetPrimaryKeys:
		return schema_ref.PrimaryKeys
	case *pb.CommandGetExportedKeys:
		return schema_ref.ExportedKeys
	case *pb.CommandGetImportedKeys:
		return schema_ref.ImportedKeys
	case *pb.CommandGetCrossReference:
		return schema_ref.CrossReference
	}
	return nil
}

// metadata answers a message about the catalog; nil = it is none. The caller releases the record. Keys there are none:
// datasets declare nothing of the kind.
func (d *Dialect) metadata(ctx context.Context, m proto.Message) (arrow.Record, error) {
	s := metadataSchema(m)
	if s == nil {
		return nil, nil
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	temporary, err := d.s.Temporary(ctx)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *pb.CommandGetCatalogs:
		for _, c := range catalogs(temporary, nil) {
			appendTexts(b, c)
		}
	case *pb.CommandGetDbSchemas:
		for _, c := range catalogs(temporary, m.Catalog) {
			if likeName(m.DbSchemaFilterPattern, Schema) {
				appendTexts(b, c, Schema)
			}
		}
	case *pb.CommandGetTables:
		if err := d.tables(ctx, b, m, temporary); err != nil {
			return nil, err
		}
	case *pb.CommandGetTableTypes:
		tables, views := kindsOf(temporary)
		if tables {
			appendTexts(b, tempType)
		}
		appendTexts(b, tableType)
		if views || len(d.s.Views(ctx)) > 0 {
			appendTexts(b, viewType)
		}
	case *pb.CommandGetSqlInfo:
		appendInfo(b, infosOf(d.s.Writable(), d.s.Transactions(ctx)), m.GetInfo())
	case *pb.CommandGetXdbcTypeInfo:
		appendXdbcTypes(b, m.DataType)
	}
	return b.NewRecord(), nil
}

func appendTexts(b *array.RecordBuilder, texts ...string) {
	for i, t := range texts {
		b.Field(i).(*array.StringBuilder).Append(t)
	}
}

// catalogs lists those that a filter lets through, nil = all. That of temporary tables is there if there is one.
func catalogs(temporary []Temporary, filter *string) (out []string) {
	all := []string{Catalog}
	if len(temporary) > 0 {
		all = append(all, TempCatalog)
	}
	for _, c := range all {
		if filter == nil || *filter == c {
			out = append(out, c)
		}
	}
	return out
}

func kindsOf(temporary []Temporary) (tables, views bool) {
	for _, t := range temporary {
		tables, views = tables || !t.View, views || t.View
	}
	return tables, views
}

// tables lists the temporary tables of the client's session, and the datasets that it may read, each sorted by name.
func (d *Dialect) tables(ctx context.Context, b *array.RecordBuilder, m *pb.CommandGetTables, temporary []Temporary) error {
	if !likeName(m.DbSchemaFilterPattern, Schema) {
		return nil
	}
	wanted := func(name, kind string) bool {
		return likeName(m.TableNameFilterPattern, name) && (len(m.GetTableTypes()) == 0 || slices.Contains(m.GetTableTypes(), kind))
	}
	// A name alone is the temporary table in SQL, so that comes first: clients that ask for a name take the first of what is listed.
	for _, catalog := range slices.Backward(catalogs(temporary, m.Catalog)) {
		if catalog == TempCatalog {
			appendTemporary(b, m.GetIncludeSchema(), temporary, wanted)
		} else if err := d.datasets(ctx, b, m.GetIncludeSchema(), wanted); err != nil {
			return err
		}
	}
	return nil
}

// datasets lists the datasets and views that the client may read.
func (d *Dialect) datasets(ctx context.Context, b *array.RecordBuilder, withSchema bool, wanted func(name, kind string) bool) error {
	types := map[string]string{}
	for _, name := range d.s.Names(ctx) {
		types[name] = tableType
	}
	for _, name := range d.s.Views(ctx) {
		types[name] = viewType
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		kind := types[name]
		if !wanted(name, kind) {
			continue
		}
		if withSchema {
			s, err := d.listed(ctx, name, kind)
			if err != nil {
				return err
			}
			if s == nil {
				continue
			}
			b.Field(4).(*array.BinaryBuilder).Append(schemaBytes(listedSchema(s, Catalog)))
		}
		appendTexts(b, Catalog, Schema, name, kind)
	}
	return nil
}

func appendTemporary(b *array.RecordBuilder, withSchema bool, temporary []Temporary, wanted func(name, kind string) bool) {
	for _, t := range temporary {
		kind := tempType
		if t.View {
			kind = viewType
		}
		if !wanted(t.Name, kind) || withSchema && t.Schema == nil {
			continue
		}
		if withSchema {
			b.Field(4).(*array.BinaryBuilder).Append(schemaBytes(listedSchema(t.Schema, TempCatalog)))
		}
		appendTexts(b, TempCatalog, Schema, t.Name, kind)
	}
}

// listed returns the schema of a dataset or a view; nil = there is none now.
func (d *Dialect) listed(ctx context.Context, name, kind string) (*arrow.Schema, error) {
	if kind == tableType {
		return d.s.Listed(ctx, name)
	}
	s, err := d.s.DescribeView(ctx, "SELECT * FROM "+quoted(name))
	if err != nil && ctx.Err() == nil {
		return nil, nil // what it reads is gone, or not this client's to read
	}
	return s, err
}

// quoted is a name in quotes. It has none itself.
func quoted(name string) string { return `"` + name + `"` }

// likeName reports whether a name is like a pattern of SQL: % is any text, _ one character, and a backslash makes the
// next character plain; nil = every name is.
func likeName(pattern *string, name string) bool {
	return pattern == nil || like([]rune(*pattern), []rune(name))
}

// like goes through the name once for each %, at most: what is in front of the last % need not be tried again.
func like(p, s []rune) bool {
	back, at := -1, 0 // behind the last %, and where in s it was tried
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) && p[i] == '%' {
			i++
			back, at = i, j
			continue
		}
		if i < len(p) {
			c, n, any := p[i], 1, p[i] == '_'
			if c == '\\' && i+1 < len(p) {
				c, n = p[i+1], 2
			}
			if any || c == s[j] {
				i, j = i+n, j+1
				continue
			}
		}
		if back < 0 {
			return false
		}
		at++
		i, j = back, at
	}
	for i < len(p) && p[i] == '%' {
		i++
	}
	return i == len(p)
}
