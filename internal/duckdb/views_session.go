//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// outside returns the SELECT of a view with the catalog in front of the names of tables that a session has temporary tables of, which
// DuckDB would take them for: a view means the same in every session. parsed is what json_serialize_sql says of the SELECT.
func outside(sql, parsed, catalog string, temporary []string) (string, error) {
	var all any
	d := json.NewDecoder(strings.NewReader(parsed))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return "", errs.Errorf(errs.ErrInternal, "sql: json_serialize_sql: %w", err)
	}
	o := &outsider{sql: sql, temporary: temporary}
	if top, _ := all.(object); top["error"] != false {
		o.unclear = true
	}
	o.walk(all, nil)
	slices.SortFunc(o.names, func(a, b tableName) int { return int(b.at - a.at) })
	for _, n := range o.names {
		if !n.fits(sql) {
			o.unclear = true
			break
		}
		above := quoteName(catalog) + "."
		if n.schema == "" {
			above += mainSchema + "."
		}
		sql = sql[:n.at] + above + sql[n.at:]
	}
	if o.unclear {
		return "", errs.Errorf(errs.ErrOption, "sql: the view could be taken to read temporary tables of this session, which views of the server do not: give those other names than %s", strings.Join(temporary, ", "))
	}
	return sql, nil
}

// mainSchema is the schema of all tables.
const mainSchema = "main"

// tableName is a name of a table in a text.
type tableName struct {
	schema, name string
	at           int64
}

// fits reports whether it stands where it is said to.
func (n tableName) fits(sql string) bool {
	first := n.schema
	if first == "" {
		first = n.name
	}
	if n.at < 0 || n.at > int64(len(sql)) {
		return false
	}
	words := lex(sql[n.at:])
	if len(words) == 0 {
		return false
	}
	w := words[0].text
	return strings.EqualFold(w, first) || w == quoteName(first)
}

// outsider finds the names of temporary tables in what json_serialize_sql returns.
type outsider struct {
	sql       string
	temporary []string
	names     []tableName
	unclear   bool // a temporary table may be meant in another way
}

func (o *outsider) shadowed(name string) bool {
	return slices.ContainsFunc(o.temporary, func(t string) bool { return strings.EqualFold(t, name) })
}

// walk goes through a part of a statement. ctes are the names of WITH that it sees.
func (o *outsider) walk(v any, ctes []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			o.walk(e, ctes)
		}
	case object:
		ctes = o.node(v, slices.Clone(ctes))
		for key, e := range v {
			if key != "cte_map" {
				o.walk(e, ctes)
			}
		}
	}
}

// node looks at one part, and returns the names of WITH that those below it see.
func (o *outsider) node(v object, ctes []string) []string {
	text := func(key string) string { s, _ := v[key].(string); return s }
	switch text("type") {
	case "RECURSIVE_CTE_NODE", "CTE_NODE":
		ctes = append(ctes, strings.ToLower(text("cte_name")))
	case "BASE_TABLE":
		o.table(text("catalog_name"), text("schema_name"), text("table_name"), v["query_location"], ctes)
	case "TABLE_FUNCTION":
		f, _ := v["function"].(object)
		o.unclear = o.unclear || f["function_name"] == "query_table"
	}
	with, _ := v["cte_map"].(object)
	entries, _ := with["map"].([]any)
	for _, e := range entries { // each sees those before it
		entry, _ := e.(object)
		o.walk(entry["value"], ctes)
		name, _ := entry["key"].(string)
		ctes = append(ctes, strings.ToLower(name))
	}
	return ctes
}

// table looks at a table that is read.
func (o *outsider) table(catalog, schema, name string, at any, ctes []string) {
	if catalog == "" && schema == "" && slices.Contains(ctes, strings.ToLower(name)) || !o.shadowed(name) {
		return
	}
	switch {
	case strings.EqualFold(catalog, "temp"), catalog == "" && strings.EqualFold(schema, "temp"):
		o.unclear = true
	case catalog == "" && (schema == "" || strings.EqualFold(schema, mainSchema)):
		place, ok := integer(at)
		if !ok {
			place = -1
		}
		o.names = append(o.names, tableName{schema, name, place})
	}
}
