package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/readers"
)

// schemaBytes is how large a file of --schema may be.
const schemaBytes = 16 << 20

// schemaFlags say which schema files are read as.
type schemaFlags struct {
	text string // or the name of a file with it
	cast wordValue
}

func addSchemaFlags(cmd *cobra.Command) *schemaFlags {
	s := &schemaFlags{cast: wordValue{word: "none", words: readers.Casts}}
	cmd.Flags().StringVar(&s.text, "schema", "", "read every INPUT as this schema: `FILE|TEXT`, JSON as of arrowio schema --json, where fields may have a \"default\", or ORC's notation struct<a:int,b:string>")
	addWord(cmd, &s.cast, "cast", "with --schema, of types that are not widened: none = an error; java = converted as orc-core does, to null what does not fit")
	return s
}

// apply fills in what files are read as.
func (s *schemaFlags) apply(r *readFlags, o *readers.Options) error {
	if s == nil {
		return nil
	}
	if o.Cast = s.cast.word; s.text == "" {
		if s.cast.word != "none" {
			return usagef("--cast says how values become those of --schema, which is missing")
		}
		return nil
	}
	text := strings.TrimSpace(s.text)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(strings.ToLower(text), "struct<") {
		var err error
		if text, err = readSchema(s.text); err != nil {
			return err
		}
	}
	schema, err := readers.ParseSchema(text, r.options.forFormat("orc"))
	o.Schema = schema
	return asUsage(err)
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
