package orciceberg

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/readers/orc"
)

// tableOptions are the options of this package. The zero value reads files as they are.
type tableOptions struct {
	Table   *iceberg.Table // what files are read as; nil = as what they are
	Names   []iceberg.Name // of files without ids; nil = Table.Mapping, or else the schema's own names
	Deletes []string       // paths or URLs of delete files
	Paths   pathMatch      // how position deletes find the file
	// Moves are put into the paths of position deletes: one that begins with From begins with To instead, by the first
	// that fits.
	Moves []move
	// DeleteEvents bounds the deletes of one file that are held; 0 = defaultDeleteEvents. A position takes 8 bytes, and up to
	// 24 once the delete files are read; the values of an equality delete count as three, and one more for every 24 bytes.
	DeleteEvents int

	path string // that the file was opened by
	open func(ctx context.Context, name string) (arrowio.OpenSource, error)
}

// defaultDeleteEvents is the default of DeleteEvents, that of ACID tables.
const defaultDeleteEvents = 32 << 20

// move is the beginning of paths, and what stands for it.
type move struct{ From, To string }

// pathMatch says how the path in a position delete stands to that of the file that is read.
type pathMatch uint8

// Ways to match paths.
const (
	// pathChecked matches whole paths, and refuses deletes that are about a file of the same name elsewhere alone: the
	// table has been moved, or the path was given in another way.
	pathChecked pathMatch = iota
	// pathFull matches whole paths.
	pathFull
	// pathSuffix matches the last part of paths, which in Iceberg's own files is unique.
	pathSuffix
)

var pathWords = []string{"checked", "full", "suffix"}

// Format returns f, the reader of ORC, with the options of this package; without them files are read by f.
func Format(f arrowio.Format) arrowio.Format {
	f.Options = append(f.Options,
		arrowio.Option{Name: "orc-iceberg-schema", Usage: "read files under an Iceberg schema: a table's metadata, or a schema's JSON, or the name of a file of it", Default: "files as they are", Files: true},
		arrowio.Option{Name: "orc-name-mapping", Usage: "Iceberg's mapping of names, JSON or a file of it, for files without ids", Default: "the table's, or the schema's names", Files: true},
		arrowio.Option{Name: "orc-deletes", Usage: "a delete file of Iceberg, of positions or of values, for every INPUT", Default: "none", Repeated: true, Files: true},
		arrowio.Option{Name: "orc-delete-paths", Usage: "how position deletes find their file: by its full path, checked against files of the same name elsewhere or not, or by the last part of the path", Default: "checked", Values: pathWords},
		arrowio.Option{Name: "orc-delete-move", Usage: "FROM=TO: paths in position deletes that begin with FROM begin with TO", Default: "none", Repeated: true},
	)
	open, openTree := f.Open, f.OpenTree
	f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		opt, given, err := parseOptions(o)
		if err != nil {
			return nil, err
		}
		if !given {
			return open(ctx, src, o)
		}
		files, err := orc.ParseOptions(o.Options)
		if err != nil {
			return nil, err
		}
		if files.Salvage != "" {
			return nil, errs.Errorf(errs.ErrOption, "%w cannot be used with options of Iceberg tables", errs.Opt("salvage", ""))
		}
		return openTable(ctx, src, o.Limits, opt, files)
	}
	if openTree != nil {
		f.OpenTree = func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			_, given, err := parseOptions(o)
			if err == nil && given {
				err = errs.Errorf(errs.ErrOption, "options of Iceberg tables cannot be used with a Hive ACID table")
			}
			if err != nil {
				return nil, err
			}
			return openTree(ctx, t, o)
		}
	}
	return f
}

// parseOptions reads the options by name; given = there are some.
func parseOptions(oo arrowio.OpenOptions) (o tableOptions, given bool, err error) {
	m := oo.Options
	o.path, o.open = oo.Name, oo.OpenSource
	if o.open == nil {
		o.open = openLocal
	}
	if text := m["orc-iceberg-schema"]; text != "" {
		b, err := options.JSON("orc-iceberg-schema", text)
		if err != nil {
			return o, false, err
		}
		if o.Table, err = iceberg.Parse(b); err != nil {
			return o, false, optionError("orc-iceberg-schema", err)
		}
	}
	if text := strings.TrimSpace(m["orc-name-mapping"]); text != "" {
		b := []byte(text)
		if b[0] != '[' {
			if b, err = options.JSON("orc-name-mapping", text); err != nil {
				return o, false, err
			}
		}
		if o.Names, err = iceberg.ParseNames(bytes.TrimSpace(b)); err != nil {
			return o, false, optionError("orc-name-mapping", err)
		}
		if o.Table == nil {
			return o, false, errs.Errorf(errs.ErrOption, "%w is about ids of %w, which is missing", errs.Opt("orc-name-mapping", ""), errs.Opt("orc-iceberg-schema", ""))
		}
	}
	if text := m["orc-deletes"]; text != "" {
		o.Deletes = strings.Split(text, "\n")
	}
	if err := o.parsePaths(m); err != nil {
		return o, false, err
	}
	if text := m["orc-delete-events"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n >= math.MaxUint32 || n > math.MaxInt/24 {
			return o, false, errs.Errorf(errs.ErrOption, "%w: %q is no number of events", errs.Opt("orc-delete-events", ""), text)
		}
		o.DeleteEvents = int(n)
	}
	return o, o.Table != nil || len(o.Deletes) > 0, nil
}

func (o *tableOptions) parsePaths(m map[string]string) error {
	switch text := m["orc-delete-paths"]; text {
	case "", "checked":
	case "full":
		o.Paths = pathFull
	case "suffix":
		o.Paths = pathSuffix
	default:
		return errs.Errorf(errs.ErrOption, "%w is %q; it takes %s", errs.Opt("orc-delete-paths", ""), text, strings.Join(pathWords, ", "))
	}
	if text := m["orc-delete-move"]; text != "" {
		for _, line := range strings.Split(text, "\n") {
			from, to, ok := strings.Cut(line, "=")
			if !ok || from == "" {
				return errs.Errorf(errs.ErrOption, "%w: %q is not FROM=TO", errs.Opt("orc-delete-move", ""), line)
			}
			o.Moves = append(o.Moves, move{from, to})
		}
	}
	return nil
}

func optionError(name string, err error) error {
	return errs.Locate(err, errs.At{Format: orc.Name, Op: "--" + name})
}

func openLocal(_ context.Context, name string) (arrowio.OpenSource, error) {
	src, err := local.OpenFile(name)
	if err != nil {
		return nil, err
	}
	return src, nil
}

// shown says which of several Arrow types a file is read as.
func (o *tableOptions) shown(files orc.Options) iceberg.ArrowOptions {
	return iceberg.ArrowOptions{StringsAsBinary: files.BinaryStrings, Dictionary: files.Dictionary}
}
