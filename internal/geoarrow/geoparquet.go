package geoarrow

import (
	"encoding/json"
	"maps"
	"slices"
)

// GeoParquetKey is the key of a file's metadata under which GeoParquet 1.x describes the geometries in its columns:
//
//	{"version": "1.1.0", "primary_column": "geom", "columns": {"geom": {"encoding": "WKB", "geometry_types": ["Point"],
//	 "crs": {…}, "edges": "planar", "bbox": [xmin, ymin, xmax, ymax], "covering": {"bbox": {"xmin": ["box", "xmin"], …}}}}}
const GeoParquetKey = "geo"

// object is a JSON object with what is not looked at as it is.
type object map[string]json.RawMessage

// geoParquet is the value of GeoParquetKey.
type geoParquet struct {
	rest    object // without columns
	primary string
	columns map[string]object
}

// parseGeoParquet is false for what GeoParquet does not describe geometries by.
func parseGeoParquet(text string) (g geoParquet, ok bool) {
	if json.Unmarshal([]byte(text), &g.rest) != nil || json.Unmarshal(g.rest["columns"], &g.columns) != nil || len(g.columns) == 0 {
		return geoParquet{}, false
	}
	if json.Unmarshal(g.rest["primary_column"], &g.primary) != nil {
		return geoParquet{}, false
	}
	delete(g.rest, "columns")
	return g, true
}

func (g geoParquet) String() string {
	all := maps.Clone(g.rest)
	all["primary_column"], all["columns"] = raw(g.primary), raw(g.columns)
	return string(raw(all))
}

// raw returns the JSON of texts, numbers, and of what was JSON before.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // JSON that was parsed can be written
	}
	return b
}

// GeoParquetColumns returns what the value of GeoParquetKey says of coordinates, by columns; nil = nothing.
func GeoParquetColumns(text string) map[string]Type {
	g, ok := parseGeoParquet(text)
	if !ok {
		return nil
	}
	out := map[string]Type{}
	for name, c := range g.columns {
		crs, said := c["crs"]
		t, ok := Parse(string(raw(object{"crs": cmpRaw(crs, "null"), "edges": cmpRaw(c["edges"], `""`)})))
		if !ok {
			continue
		}
		t.Unknown = t.Unknown && said // without a crs it is DefaultCRS
		out[name] = t
	}
	return out
}

func cmpRaw(v json.RawMessage, otherwise string) json.RawMessage {
	if v == nil {
		return json.RawMessage(otherwise)
	}
	return v
}

// GeoParquetOf returns the value of GeoParquetKey for a file that has only some of the columns, in this order. Where the primary
// column is none of them, the first that is left takes its place. It is false where no column that it describes is left. Other
// text is returned as it is.
func GeoParquetOf(text string, columns []string) (string, bool) {
	g, ok := parseGeoParquet(text)
	if !ok {
		return text, true
	}
	gone := false
	left := map[string]object{}
	for name, c := range g.columns {
		if !slices.Contains(columns, name) {
			gone = true
			continue
		}
		if covers := c.covering(); slices.ContainsFunc(covers, func(of string) bool { return !slices.Contains(columns, of) }) {
			gone = true
			c = maps.Clone(c)
			delete(c, "covering")
		}
		left[name] = c
	}
	switch {
	case !gone:
		return text, true
	case len(left) == 0:
		return "", false
	case left[g.primary] == nil:
		g.primary = columns[slices.IndexFunc(columns, func(name string) bool { return left[name] != nil })]
	}
	g.columns = left
	return g.String(), true
}

// covering returns the columns that hold the boxes of a geometry.
func (c object) covering() (columns []string) {
	var boxes map[string]map[string][]string
	if json.Unmarshal(c["covering"], &boxes) != nil {
		return nil
	}
	for _, box := range boxes {
		for _, path := range box {
			if len(path) > 0 {
				columns = append(columns, path[0])
			}
		}
	}
	return columns
}

// GeoParquetFile is a file that is read with others.
type GeoParquetFile struct {
	Text string                   // its value of GeoParquetKey; "" = it has none
	Has  func(column string) bool // tells its columns
}

// JoinGeoParquet returns the value of GeoParquetKey for the rows of all files: with boxes and kinds of geometries that hold those of
// all, and without what else is no property of all. It is false where files differ in what is needed to read the geometries: version,
// primary column, encoding, coordinate reference system, epoch and edges, or where a file does not describe a column that it has
// and others describe.
func JoinGeoParquet(files []GeoParquetFile) (string, bool) {
	var first string
	var all geoParquet
	same := true
	docs := make([]geoParquet, len(files))
	for i, f := range files {
		var ok bool
		switch docs[i], ok = parseGeoParquet(f.Text); {
		case f.Text == "":
			continue
		case !ok:
			return "", false
		case first == "":
			first, all = f.Text, docs[i]
			all.rest, all.columns = maps.Clone(all.rest), maps.Clone(all.columns)
			continue
		}
		if same = same && f.Text == first; same {
			continue
		}
		if !SameJSON(string(all.rest["version"]), string(docs[i].rest["version"])) || all.primary != docs[i].primary {
			return "", false
		}
		keepEqual(all.rest, docs[i].rest)
		for name, c := range docs[i].columns {
			switch before := all.columns[name]; {
			case before == nil:
				all.columns[name] = c
			case !joinColumns(before, c):
				return "", false
			default:
				all.columns[name] = joinedColumn(before, c)
			}
		}
	}
	for i, f := range files {
		for name := range all.columns {
			if f.Has(name) && docs[i].columns[name] == nil {
				return "", false
			}
		}
	}
	if same {
		return first, first != ""
	}
	return all.String(), true
}

// joinColumns reports whether the geometries of two columns are read in the same way.
func joinColumns(a, b object) bool {
	for _, key := range []string{"encoding", "edges", "epoch"} {
		if !SameJSON(string(cmpRaw(a[key], missing[key])), string(cmpRaw(b[key], missing[key]))) {
			return false
		}
	}
	x, y := cmpRaw(a["crs"], `"`+DefaultCRS+`"`), cmpRaw(b["crs"], `"`+DefaultCRS+`"`)
	var s, t string
	if json.Unmarshal(x, &s) != nil || string(x) == "null" {
		s = string(x)
	}
	if json.Unmarshal(y, &t) != nil || string(y) == "null" {
		t = string(y)
	}
	return SameCRS(s, t)
}

// missing is what a key says that is not there.
var missing = map[string]string{"encoding": "null", "edges": `"planar"`, "epoch": "null"}

// joinedColumn describes the geometries of two columns that joinColumns takes for one.
func joinedColumn(a, b object) object {
	out := maps.Clone(a)
	types, box := joinTypes(a, b), joinBoxes(a, b)
	keepEqual(out, b, "encoding", "edges", "epoch", "crs")
	out["geometry_types"] = types
	if delete(out, "bbox"); box != nil {
		out["bbox"] = box
	}
	return out
}

// keepEqual leaves out what b says otherwise, but for some keys.
func keepEqual(a, b object, but ...string) {
	maps.DeleteFunc(a, func(key string, v json.RawMessage) bool {
		return !slices.Contains(but, key) && (b[key] == nil || !SameJSON(string(v), string(b[key])))
	})
}

// joinTypes returns the kinds of geometries of two columns; none = any.
func joinTypes(a, b object) json.RawMessage {
	var x, y []string
	if json.Unmarshal(a["geometry_types"], &x) != nil || json.Unmarshal(b["geometry_types"], &y) != nil || len(x) == 0 || len(y) == 0 {
		return json.RawMessage("[]")
	}
	for _, t := range y {
		if !slices.Contains(x, t) {
			x = append(x, t)
		}
	}
	return raw(x)
}

// joinBoxes returns the box around two of the same dimensions; nil = there is none, or one goes across the antimeridian.
func joinBoxes(a, b object) json.RawMessage {
	var x, y []float64
	if json.Unmarshal(a["bbox"], &x) != nil || json.Unmarshal(b["bbox"], &y) != nil || len(x) != len(y) || len(x) != 4 && len(x) != 6 {
		return nil
	}
	n := len(x) / 2
	if x[0] > x[n] || y[0] > y[n] {
		return nil
	}
	for i := range n {
		x[i], x[n+i] = min(x[i], y[i]), max(x[n+i], y[n+i])
	}
	return raw(x)
}
