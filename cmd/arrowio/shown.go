package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers"
)

// schemaBytes is the largest size of a file of --schema.
const schemaBytes = 16 << 20

// schemaFlags are the flags about the schema that files are shown under.
type schemaFlags struct {
	text   string // or the name of a file with it
	cast   wordValue
	schema *arrow.Schema // what text says; nil = it was not read yet
}

func addSchemaFlags(cmd *cobra.Command) *schemaFlags {
	s := &schemaFlags{cast: wordValue{word: "none", words: readers.Casts}}
	cmd.Flags().StringVar(&s.text, "schema", "", "read every INPUT as this schema: `FILE|TEXT`, JSON as of arrowio schema --json, where fields may have a \"default\", or ORC's notation struct<a:int,b:string>, or the schema of another data file, or of a table: its directory, iceberg://CATALOG/NAMESPACE.TABLE, hive://HOST:PORT/DATABASE.TABLE")
	addWord(cmd, &s.cast, "cast", "with --schema, what to do where types do not widen: none = an error; java = convert like orc-core: values that do not fit become null")
	return s
}

// apply sets the options for the schema.
func (s *schemaFlags) apply(r *readFlags, o *readers.Options) error {
	if s == nil {
		return nil
	}
	if s.text == "" {
		if s.cast.word != "none" {
			return usagef("--cast says how values become those of --schema, which is missing")
		}
		return nil
	}
	var err error
	if o.Cast, err = readers.Cast(s.cast.word); err != nil {
		return err
	}
	if s.schema == nil { // a file may be a pipe, which is read once
		if s.schema, err = schemaOf(s.text, r.options.forFormat("orc"), *o); err != nil {
			return err
		}
	}
	o.Schema = s.schema
	return nil
}

// warned returns the file whose warnings are printed: f under the schema if that is possible, otherwise f.
func (s *schemaFlags) warned(r *readFlags, f *openFile) arrowio.File {
	if s == nil || s.text == "" {
		return f
	}
	o, err := s.options(r)
	if err != nil {
		return f
	}
	shown, err := dataset.Show(view.WithClose(f, nil), o)
	if err != nil {
		return f // reading tells
	}
	return shown
}

// given reports whether any of these flags is set.
func (s *schemaFlags) given() bool { return s != nil && (s.text != "" || s.cast.word != "none") }

// options returns the options of dataset.Show for a single file.
func (s *schemaFlags) options(r *readFlags) (o readers.Options, err error) {
	if o.Match, err = r.match(); err == nil {
		err = s.apply(r, &o)
	}
	return o, err
}

// shownInfo describes how a file is shown under the schema of --schema.
type shownInfo struct {
	Fits   bool         `json:"fits"` // it can be read so
	Fields []view.Field `json:"fields"`
}

// shownAs describes what dataset.Show does with a file; nil = no schema is set.
func shownAs(f arrowio.File, o readers.Options) (*shownInfo, error) {
	if o.Schema == nil {
		return nil, nil
	}
	fields, fits, err := dataset.Explain(f, o)
	return &shownInfo{fits, fields}, err
}

func (s *shownInfo) print(w sheet) error {
	verdict := "which it fits"
	if !s.Fits {
		verdict = "which it does not fit"
	}
	if _, err := fmt.Fprintf(w, "\nread as the schema asked for, %s:\n", verdict); err != nil {
		return err
	}
	rows := make([][]string, len(s.Fields))
	for i, f := range s.Fields {
		why := f.Why
		if f.Files > 0 {
			why = fmt.Sprintf("in %d of %d files", f.Files, f.FilesTotal)
			if f.Why != "" {
				why += ": " + f.Why
			}
		}
		rows[i] = []string{f.Path, f.Type, f.From, f.Stored, f.How, why}
	}
	return printTable(w, []string{"field", "shown as", "column of the file", "type there", "becomes", "why"}, nil, rows)
}

// schemaOf parses a schema, or reads it from the file or the table of that name. options are those of ORC, and o is how tables are opened.
func schemaOf(value string, options map[string]string, o readers.Options) (*arrow.Schema, error) {
	text := strings.TrimSpace(value)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(strings.ToLower(text), "struct<") {
		if fi, err := os.Stat(value); strings.Contains(value, "://") || err == nil && fi.IsDir() {
			return schemaOfTable(value, o)
		}
		schema, err := schemaOfData(value, options)
		if schema != nil || err != nil {
			return schema, err
		}
		if text, err = readSchema(value); err != nil {
			return nil, err
		}
	}
	schema, err := readers.ParseSchema(text, options)
	return schema, asUsage(err)
}

// schemaOfTable returns the schema of a table, of a directory of files, or of what a URL names.
func schemaOfTable(name string, o readers.Options) (*arrow.Schema, error) {
	d, err := readers.OpenDataset(context.Background(), []string{name}, readers.Options{Formats: o.Formats, Options: o.Options, Stores: o.Stores, Limits: o.Limits, Lenient: true})
	if err != nil {
		return nil, inFile(name, err)
	}
	return d.Schema, d.Close()
}

// schemaOfData returns the schema of a data file on this machine; nil = the file is none, by its content.
func schemaOfData(name string, options map[string]string) (*arrow.Schema, error) {
	const ends = 64
	if fi, err := os.Stat(name); err != nil || !fi.Mode().IsRegular() || fi.Size() < 2*ends {
		return nil, nil //nolint:nilerr // whoever reads it as a schema finds the error again
	}
	src, err := local.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // it was only read
	var head, tail [ends]byte
	if _, err := src.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := src.ReadAt(tail[:], src.Size()-ends); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := readers.Sniff(head[:], tail[:], ""); err != nil {
		return nil, nil //nolint:nilerr // it is text
	}
	options = maps.Clone(options)
	delete(options, "salvage") // what is damaged is another file
	f, err := readers.Open(context.Background(), src, name, readers.Options{Options: options, Lenient: true, For: arrowio.ForInfo})
	if err != nil {
		return nil, inFile(name, err)
	}
	defer f.Close()
	return f.Schema(), nil
}

func readSchema(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, schemaBytes+1))
	if err == nil && len(b) > schemaBytes {
		err = usagef("%s: a schema of more than %d bytes", name, schemaBytes)
	}
	return string(b), errors.Join(err, f.Close())
}
