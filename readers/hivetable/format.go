package hivetable

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the name of the format.
const Name = "hive"

// Options of the format.
const (
	optionRelocate = "hive-relocate"
	optionUnit     = "timestamp-unit"
	optionWrong    = "hive-wrong-values"
)

var formatOptions = append(metastore.ConnectionOptions(),
	arrowio.Option{Name: optionRelocate, Usage: "FROM=TO: directories whose paths in the metastore begin with FROM are read from TO", Default: "none", Repeated: true},
	arrowio.Option{Name: optionUnit, Usage: "unit of timestamps; finer digits are cut off", Default: "that of the file", Values: []string{"ns", "us", "ms", "s"}, Remote: true},
	arrowio.Option{Name: optionWrong, Usage: "what becomes of values of text that do not fit their type: error, or null, as Hive shows them (and another value where Hive shows one: 1 for 1.5 as an int)", Default: "error", Values: []string{"error", "null"}, Remote: true},
)

// Format returns the format "hive". files are the formats of data files, by their names: orc, which also opens directories of ACID
// tables, parquet and avro. cast is how values of older files become the types of the table: see view.Options.
func Format(cast view.Cast, files ...arrowio.Format) arrowio.Format {
	r := &reader{cast: cast, files: map[string]arrowio.Format{}}
	for _, f := range files {
		r.files[f.Name] = f
	}
	return arrowio.Format{
		Name:    Name,
		Options: formatOptions,
		Open: func(context.Context, arrowio.Source, arrowio.OpenOptions) (arrowio.File, error) {
			return nil, errs.Errorf(errs.ErrOption, "hive is the format of tables that a metastore knows: name one as hive://HOST:PORT/DATABASE.TABLE")
		},
		Schemes: []string{Name}, OpenNamed: r.openNamed, ParseFragment: r.parse,
	}
}

// reader opens tables.
type reader struct {
	files map[string]arrowio.Format
	cast  view.Cast
}

// settings are what the caller has given.
type settings struct {
	*reader
	limits    arrowio.Limits
	metastore metastore.Options
	moves     []metastore.Move
	unit      string
	wrong     string
	purpose   arrowio.Purpose
	open      func(ctx context.Context, name string) (arrowio.OpenSource, error)
	tree      func(name string) (arrowio.Tree, error)
}

func (r *reader) settings(oo arrowio.OpenOptions) (*settings, error) {
	if _, err := options.Check(formatOptions, oo.Options); err != nil {
		return nil, err
	}
	s := &settings{reader: r, limits: oo.Limits.WithDefaults(), purpose: oo.For, open: oo.OpenSource, tree: oo.OpenTree, unit: oo.Options[optionUnit], wrong: oo.Options[optionWrong]}
	s.metastore.Bytes = s.limits.MetadataBytes
	err := s.metastore.Read(oo.Options)
	if err != nil {
		return nil, err
	}
	if s.moves, err = metastore.ParseMoves(optionRelocate, oo.Options[optionRelocate]); err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = func(_ context.Context, name string) (arrowio.OpenSource, error) {
			src, err := local.OpenFile(name)
			if err != nil {
				return nil, err // not a nil *FileSource
			}
			return src, nil
		}
	}
	if s.tree == nil {
		s.tree = func(name string) (arrowio.Tree, error) { return local.DirTree(name), nil }
	}
	return s, nil
}

// timeUnit returns the unit of timestamps.
func (s *settings) timeUnit() arrow.TimeUnit {
	switch s.unit {
	case "us":
		return arrow.Microsecond
	case "ms":
		return arrow.Millisecond
	case "s":
		return arrow.Second
	}
	return arrow.Nanosecond
}
