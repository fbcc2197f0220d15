package readers

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/readas"
)

// ParseSchema parses a schema for Options.Schema. The text is the JSON of `arrowio schema --json`, in which a field may have a
// "default" for files without it, or ORC's notation, such as "struct<a:int,b:array<string>>". options are those with which files
// are opened; they say how some of ORC's types are shown.
func ParseSchema(text string, options map[string]string) (*arrow.Schema, error) {
	o := readas.Options{
		Unit:            arrow.Nanosecond,
		StringsAsBinary: options["orc-strings"] == "binary",
		NullKeysAsList:  options["orc-null-keys"] == "list",
	}
	switch options["timestamp-unit"] {
	case "us":
		o.Unit = arrow.Microsecond
	case "ms":
		o.Unit = arrow.Millisecond
	case "s":
		o.Unit = arrow.Second
	}
	return readas.Schema(text, o)
}
