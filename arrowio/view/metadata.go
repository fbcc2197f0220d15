package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// isStorage reports whether a key of a field says how a file stores it, which the type of the field makes up for, or is a part of its
// extension type.
func isStorage(key string) bool {
	switch key {
	case schemadiff.ExtensionName, schemadiff.ExtensionMetadata, "trevni.name", "trevni.type", "trevni.codec":
		return true
	}
	return false
}

// ofOneFile are the keys of a schema's metadata that describe one file alone: its writer, its schema as the writer knows it, and which
// rows it has.
var ofOneFile = []string{
	"ARROW:schema", "avro.schema", "iceberg.schema", "org.apache.spark.sql.parquet.row.metadata", "org.apache.spark.version",
	"parquet.avro.schema", "writer.model.name", "hive.acid.key.index", "hive.acid.stats", "hive.acid.version",
}

// describesFile reports whether an entry describes one file alone.
func describesFile(key, value string) bool {
	if key == "pandas" {
		return hasNoIndex(value)
	}
	for _, prefix := range []string{"orc.", "trevni.", "cfile.", "avro."} {
		if own, ok := strings.CutPrefix(key, prefix); ok && slices.Contains(ofOneFile, own) {
			return true
		}
	}
	return slices.Contains(ofOneFile, key)
}

// hasNoIndex reports whether what pandas says of a table names no column as its index: rows are numbered then, those of each file
// from 0 on, and the types are those of Arrow.
func hasNoIndex(pandas string) bool {
	var doc struct {
		Index []json.RawMessage `json:"index_columns"`
	}
	if json.Unmarshal([]byte(pandas), &doc) != nil {
		return false
	}
	return !slices.ContainsFunc(doc.Index, func(column json.RawMessage) bool { return !strings.HasPrefix(string(column), "{") })
}

// joinedMetadata is what becomes of the metadata of several schemas.
type joinedMetadata struct {
	arrow.Metadata
	contradicted []string // keys that are not in it, but for those that describe one file alone
	leftOut      []string // keys that describe only columns without a common type
}

// metadata returns the entries that no schema contradicts, in the order in which they come up. What describes one file alone must
// be in all of them.
func (u *Union) metadata() joinedMetadata {
	var keys, values []string
	at := map[string]int{}
	type state struct {
		files         int // that have the key
		differs, tell bool
	}
	var states []state
	for _, s := range u.schemas {
		md := s.Metadata()
		for i, k := range md.Keys() {
			v := md.Values()[i]
			n, ok := at[k]
			if !ok {
				n = len(keys)
				at[k] = n
				keys, values, states = append(keys, k), append(values, v), append(states, state{})
			}
			states[n].files++
			states[n].differs = states[n].differs || values[n] != v
			states[n].tell = states[n].tell || !describesFile(k, v)
		}
	}
	var j joinedMetadata
	var kept, text []string
	for n, k := range keys {
		switch geo, how := u.geoParquet(k); {
		case how == geoJoined:
			kept, text = append(kept, k), append(text, geo)
		case how == geoLeftOut:
			j.leftOut = append(j.leftOut, k)
		case how == geoContradicted:
			j.contradicted = append(j.contradicted, k)
		case !states[n].differs && (states[n].tell || states[n].files == len(u.schemas)):
			kept, text = append(kept, k), append(text, values[n])
		case states[n].tell:
			j.contradicted = append(j.contradicted, k)
		}
	}
	j.Metadata = arrow.NewMetadata(kept, text)
	return j
}

// joinedGeo is what becomes of the metadata of GeoParquet.
type joinedGeo int

const (
	noGeo           joinedGeo = iota // there are none
	geoJoined                        // they are joined
	geoContradicted                  // they cannot be joined
	geoLeftOut                       // they describe only columns without a common type
)

// geoParquet joins what the schemas say under a key.
func (u *Union) geoParquet(key string) (text string, how joinedGeo) {
	if key != geoarrow.GeoParquetKey || !slices.ContainsFunc(u.geo, func(g map[string]geoarrow.Type) bool { return g != nil }) {
		return "", noGeo
	}
	readable := make([][]string, len(u.schemas)) // the columns of each
	for _, f := range u.fields {
		for _, o := range f.at {
			if f.clash == nil {
				readable[o.schema] = append(readable[o.schema], u.schemas[o.schema].Field(o.column).Name)
			}
		}
	}
	files, described := make([]geoarrow.GeoParquetFile, len(u.schemas)), false
	for k, s := range u.schemas {
		if text, ok := s.Metadata().GetValue(key); ok {
			files[k].Text, _ = geoarrow.GeoParquetOf(text, readable[k]) // "" where none of its columns is left
			described = described || files[k].Text != ""
		}
		files[k].Has = func(name string) bool {
			i, ok := s.FieldsByName(name)
			return ok && i[0].Type.ID() != arrow.NULL
		}
	}
	if !described {
		return "", geoLeftOut
	}
	text, ok := geoarrow.JoinGeoParquet(files)
	if !ok {
		return "", geoContradicted
	}
	return text, geoJoined
}
