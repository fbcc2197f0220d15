package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
)

func (a *app) schemaCommand() *cobra.Command {
	var asJSON bool
	var read *readFlags
	cmd := &cobra.Command{
		Use:   "schema [--json] INPUT...",
		Short: "The Arrow schema and what each field is in the file",
		Long: `Schema prints the Arrow schema of a file or of a dataset as a tree; behind a field stands what it is in the file.

Metadata that only some of several files have says so.

--json prints {"file", "format", "formats", "fields": [{"name", "type", "nullable", "metadata", "fields"}], "metadata",
"metadata_of_some_files"}. format is null where the files have several.`,
		Example: `  arrowio schema events.orc
  arrowio schema --trevni-view=columns --json events.trv | jq '.fields[].name'`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.schema(cmd.Context(), read, args, asJSON)
		},
	}
	read = a.addReadFlags(cmd)
	read.shown = addSchemaFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	return cmd
}

func (a *app) schema(ctx context.Context, read *readFlags, in []string, asJSON bool) error {
	ds, err := a.openDataset(ctx, in, read, nil)
	if err != nil {
		return err
	}
	defer ds.close()
	if err := read.options.check(ds.used(read.options)...); err != nil {
		return err
	}
	a.tellLost(ds.Dataset, nil)
	name := strings.Join(in, " ")
	var partial []string // keys of metadata
	if !read.shown.given() {
		partial = ds.formats.partial(ds.Schema.Metadata())
	}
	if asJSON {
		return printJSON(a.stdout, schemaDoc{
			File: name, Format: ds.formats.one(), Formats: ds.formats.names(), Fields: fieldDocs(ds.Schema.Fields()),
			Metadata: metadataDoc(ds.Schema.Metadata()), Partial: partial, Warnings: a.warnings.list(),
		})
	}
	w := bufio.NewWriter(a.stdout)
	text := a.onSheet(w)
	text.line("", "  ", fmt.Sprintf("%s: %s, %s", printable(name), ds.formats.String(), plural(ds.Schema.NumFields(), "column")))
	printFields(text, ds.Schema.Fields(), "")
	if md := ds.Schema.Metadata(); md.Len() > 0 {
		fmt.Fprintln(w, "metadata:")
		for i, k := range md.Keys() {
			line := printable(k) + " = " + shorten(md.Values()[i], 200)
			if slices.Contains(partial, k) {
				line += fmt.Sprintf("  (%d of %d files)", ds.formats.keys[k], ds.formats.number)
			}
			text.line("  ", "    ", line)
		}
	}
	return w.Flush()
}

// schemaDoc is the JSON of a schema.
type schemaDoc struct {
	File     string         `json:"file"`
	Format   *string        `json:"format"` // null = several
	Formats  []string       `json:"formats"`
	Fields   []fieldDoc     `json:"fields"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Partial  []string       `json:"metadata_of_some_files,omitempty"`

	Warnings []arrowio.Warning `json:"warnings"`
}

// fieldDoc is the JSON of a field.
type fieldDoc struct {
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Nullable bool           `json:"nullable"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Fields   []fieldDoc     `json:"fields,omitempty"`
}

func fieldDocs(fields []arrow.Field) []fieldDoc {
	docs := make([]fieldDoc, len(fields))
	for i, f := range fields {
		docs[i] = fieldDoc{
			Name: f.Name, Type: typeName(f.Type), Nullable: f.Nullable, Metadata: metadataDoc(f.Metadata),
			Fields: fieldDocs(children(f.Type)),
		}
	}
	return docs
}

// metadataDoc writes text as a JSON string, and bytes that are not UTF-8 as {"base64": …}.
func metadataDoc(md arrow.Metadata) map[string]any {
	doc := make(map[string]any, md.Len())
	for i, k := range md.Keys() {
		v := md.Values()[i]
		if utf8.ValidString(v) {
			doc[k] = v
		} else {
			doc[k] = map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(v))}
		}
	}
	return doc
}

// children returns the fields inside a type.
func children(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.Field{t.KeyField(), t.ItemField()}
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}

// typeName returns the name of a type without its children, which are printed on lines of their own.
func typeName(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("fixed_size_list[%d]", t.Len())
	case arrow.NestedType:
		return t.Name()
	}
	return t.String()
}

func printFields(w sheet, fields []arrow.Field, indent string) {
	names := shownFields(fields)
	for i, f := range fields {
		branch, below := "├─ ", "│  "
		if i == len(fields)-1 {
			branch, below = "└─ ", "   "
		}
		text := names[i] + ": " + printable(typeName(f.Type))
		if !f.Nullable {
			text += ", not null"
		}
		if f.Metadata.Len() > 0 {
			var parts []string
			for i, k := range f.Metadata.Keys() {
				parts = append(parts, printable(k)+"="+shorten(f.Metadata.Values()[i], 80))
			}
			text += "  (" + strings.Join(parts, ", ") + ")"
		}
		inside := "   "
		if len(children(f.Type)) > 0 {
			inside = "│  "
		}
		w.line(indent+branch, indent+below+inside, text)
		printFields(w, children(f.Type), indent+below)
	}
}

// shorten makes text short enough for a line.
func shorten(s string, n int) string {
	s, cut := celltext.Clip(s, n)
	if cut {
		return printable(s) + gridEllipsis
	}
	return printable(s)
}

// plural returns a number with its noun.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
