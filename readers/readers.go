package readers

import (
	"context"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orccast"
	"github.com/arrowio/arrowio/readers/avro"
	"github.com/arrowio/arrowio/readers/cfile"
	"github.com/arrowio/arrowio/readers/csv"
	"github.com/arrowio/arrowio/readers/hivetable"
	"github.com/arrowio/arrowio/readers/icebergtable"
	"github.com/arrowio/arrowio/readers/ipc"
	"github.com/arrowio/arrowio/readers/jsonl"
	"github.com/arrowio/arrowio/readers/kudu"
	"github.com/arrowio/arrowio/readers/orciceberg"
	"github.com/arrowio/arrowio/readers/orctable"
	"github.com/arrowio/arrowio/readers/parquet"
	"github.com/arrowio/arrowio/readers/trevni"
)

// All returns every format that can be read.
func All() []arrowio.Format { return slices.Clone(all()) }

var all = sync.OnceValue(func() []arrowio.Format {
	orc := orciceberg.Format(orctable.Format())
	hive := hivetable.Format(orccast.Exact, orc, inUnit(parquet.Format(), "parquet-int96"), inUnit(avro.Format(), ""))
	return []arrowio.Format{
		inUnit(trevni.Format(), ""),
		orc,
		inUnit(cfile.Format(), ""),
		inUnit(kudu.Format(), ""),
		inUnit(ipc.Format(), ""),
		inUnit(ipc.StreamFormat(), ""),
		inUnit(parquet.Format(), "parquet-int96"),
		inUnit(avro.Format(), ""),
		inUnit(csv.Format(), ""),
		jsonl.Format(), // its times are text
		namedBy(hive, icebergtable.Format(orc, parquet.Format(), avro.Format())),
		hive,
	}
})

// Options says how to find and open files. The zero value is the default: without Formats they are those of All, and without Cast
// it is CastExact.
type Options = dataset.Options

// Defaults returns o with the formats and the cast of this package, if it has none.
func Defaults(o Options) Options {
	if o.Formats == nil {
		o.Formats = All()
	}
	if o.Cast == nil {
		o.Cast = CastExact
	}
	return o
}

// Sniff returns the format of a file with these first and last bytes, up to 64 each: see dataset.Sniff.
func Sniff(head, tail []byte, name string) (arrowio.Format, error) {
	return dataset.Sniff(All(), head, tail, name)
}

// Lookup returns the format with this name. An unknown name is errs.ErrOption; the error lists the known names.
func Lookup(name string) (arrowio.Format, error) { return dataset.Lookup(All(), name) }

// OpenFile opens the file at a path or URL, or a directory that a format reads as a whole. Closing the File closes everything
// that was opened for it.
func OpenFile(ctx context.Context, path string, o Options) (arrowio.File, error) {
	f, err := dataset.Open(ctx, path, Defaults(o))
	if err != nil {
		return nil, err // not a nil *File
	}
	return f, nil
}

// Open opens src. The name decides the format only if the content does not. The caller closes src after it has closed the File.
// Naming a format whose files are directories (arrowio.Format.OpenPath) is errs.ErrOption.
func Open(ctx context.Context, src arrowio.Source, name string, o Options) (arrowio.File, error) {
	f, err := dataset.OpenSource(ctx, src, name, Defaults(o))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenDataset returns one dataset of the files that paths and URLs stand for: see dataset.OpenAll.
func OpenDataset(ctx context.Context, paths []string, o Options) (*dataset.Dataset, error) {
	return dataset.OpenAll(ctx, paths, Defaults(o))
}

// CastExact is a value for Options.Cast, and the default: values are converted to the type in the schema if no value loses
// anything.
func CastExact(arrowio.Calendar) view.Cast { return orccast.Exact }

// CastJava is a value for Options.Cast: values are converted as orc-core converts them. Values that do not fit become null.
func CastJava(c arrowio.Calendar) view.Cast { return orccast.JavaOf(c) }

// Casts are the words that Cast takes.
var Casts = []string{"none", "java"}

// Cast returns the value of Options.Cast for a word of Casts.
func Cast(word string) (func(arrowio.Calendar) view.Cast, error) {
	switch word {
	case "", "none":
		return CastExact, nil
	case "java":
		return CastJava, nil
	}
	return nil, errs.Errorf(errs.ErrOption, "unknown cast %q (known: none, java)", word)
}
