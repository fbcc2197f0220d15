package report

import (
	"errors"
	"strings"

	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/schematext"
)

// notation is a schema as text.
type notation struct{ Name, Text, Trouble string }

// hiveFormats are Hive's words for formats.
var hiveFormats = map[string]string{"orc": "ORC", "orc-table": "ORC", "parquet": "PARQUET", "avro": "AVRO"}

func (k *file) notations() {
	table := tableName(k.Name)
	add := func(name, text string, err error) {
		n := notation{Name: name, Text: text}
		if err != nil {
			n.Trouble = drawing.Text(err.Error())
		}
		k.schemas = append(k.schemas, n)
	}
	add("Arrow", schematext.Arrow(k.Schema), nil)
	text, err := k.hive(table)
	add("Hive", text, err)
	text, err = schematext.Avro(k.Schema)
	add("Avro", text, err)
	text, err = schematext.SQL(k.Schema, table)
	add("SQL", text, err)
}

// hive returns the statement that makes a table of Hive: of the file where Hive reads its format with these types, otherwise of the ORC
// files that arrowio convert makes of it. Hive's default is text with a byte 1 between columns, which no other format is.
func (k *file) hive(table string) (string, error) {
	format := ""
	if k.Info != nil {
		format = k.Info.Format
	}
	switch format {
	case "iceberg":
		return "", errors.New("tables of Iceberg come to Hive by the catalog, without a statement that makes them")
	case "hive":
		return "", errors.New("it is a table of Hive already")
	}
	if stored := hiveFormats[format]; stored != "" {
		return schematext.Hive(k.Schema, table, stored)
	}
	text, err := schematext.Hive(k.Schema, table, hiveFormats["orc"])
	if err != nil {
		return "", err
	}
	why := "-- Hive does not read these files."
	switch format {
	case "csv":
		why = "-- Hive reads CSV by OpenCSVSerde, to which every column is text."
	case "jsonl":
		why = "-- Hive reads JSON by a SerDe, which has rules of its own for types."
	}
	return why + " This is the table of the ORC files that arrowio convert makes of them.\n" + text, nil
}

// tableName makes the name of a file one of a table.
func tableName(path string) string {
	path = strings.TrimRight(path, "/")
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	path, _, _ = strings.Cut(path, ".")
	path = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, path)
	if path == "" {
		return "t"
	}
	return path[:min(len(path), 60)]
}
