package readers

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/readers/cfile"
	"github.com/arrowio/arrowio/readers/csv"
	"github.com/arrowio/arrowio/readers/ipc"
	"github.com/arrowio/arrowio/readers/jsonl"
	"github.com/arrowio/arrowio/readers/kudu"
	"github.com/arrowio/arrowio/readers/orciceberg"
	"github.com/arrowio/arrowio/readers/orctable"
	"github.com/arrowio/arrowio/readers/parquet"
	"github.com/arrowio/arrowio/readers/trevni"
)

// All returns every format that can be read.
func All() []arrowio.Format {
	return []arrowio.Format{
		trevni.Format(),
		orciceberg.Format(orctable.Format()),
		cfile.Format(),
		kudu.Format(),
		ipc.Format(),
		ipc.StreamFormat(),
		parquet.Format(),
		csv.Format(),
		jsonl.Format(),
	}
}

// Options says how to open files. The zero value is the default.
type Options struct {
	Format  string            // name of the format; "" = told by content, then by name
	Formats []arrowio.Format  // that are known; nil = All
	Limits  arrowio.Limits    //
	Options map[string]string // of the format
	Match   arrowio.Match     // of the columns of several files
	Columns []string          // of several files, what will be read of them; nil = all. See arrowio.DatasetOptions
	Exclude []string          // of several files, what will not be read of them, whatever Columns says
	For     arrowio.Purpose   // what files are opened for

	Stores     *stores.Stores // where files are; nil = stores.Shared
	Mapped     bool           // map files of this machine into memory: see arrowio.MapFile
	Partitions Partitions     // of several files
	// Filter is what scans of several files will have, with others beside it or not; nil = nobody knows. Files of which
	// the directories tell that no row satisfies it are not opened, and do not count for the schema, unless a column that
	// Columns or the filter name is in none of the others.
	Filter expr.Expr
	// Schema is what datasets show every file under, its columns matched as Match says: see Show. nil = what the files have.
	Schema *arrow.Schema
	// Cast says what is done with types that Schema does not widen: "" or "none" is an error, "java" converts as orc-core
	// does, to null where a value does not fit.
	Cast string
	// Warn is called with what is doubtful about several files as a whole; Warning.File is the first of them. nil = not reported.
	Warn func(arrowio.Warning)
}

func (o Options) stores() *stores.Stores {
	if o.Stores == nil {
		return stores.Shared()
	}
	return o.Stores
}

// Opener opens files where o says that they are: for arrowio.OpenOptions.OpenSource.
func (o Options) Opener() func(ctx context.Context, name string) (arrowio.OpenSource, error) {
	return o.stores().Open
}

// openOptions is what formats are told.
func (o Options) openOptions() arrowio.OpenOptions {
	return arrowio.OpenOptions{Limits: o.Limits, Options: o.Options, For: o.For, OpenSource: o.Opener()}
}

// sniffBytes is how much of both ends of a file is looked at.
const sniffBytes = 64

// Sniff returns the format of a file with these first and last bytes, up to 64 each. What the bytes say counts; the
// ending of the name decides only where they say nothing. If they fit no format, or several, the error is
// ErrUnsupported and lists what was tried.
func Sniff(head, tail []byte, name string) (arrowio.Format, error) {
	return sniff(All(), head, tail, name)
}

func sniff(formats []arrowio.Format, head, tail []byte, name string) (arrowio.Format, error) {
	var matches []arrowio.Format
	for _, f := range formats {
		if matchesBytes(f, head, tail) {
			matches = append(matches, f)
		}
	}
	if len(matches) == 0 {
		if f, ok := byExtension(formats, name); ok {
			return explained(f, formats, false), nil
		}
	}
	switch len(matches) {
	case 1:
		return matches[0], nil
	case 0:
		if len(head) == 0 {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "it is empty, so its format cannot be told; name the format with --from")
		}
		return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "unknown format: the content matches none of %s and the extension none of %s; name the format with --from",
			strings.Join(names(formats, true), ", "), strings.Join(extensions(formats), ", "))
	}
	return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "the content matches %s; choose one with --from", strings.Join(names(matches, false), " or "))
}

// matchesBytes tells whether a file with these ends is of a format.
func matchesBytes(f arrowio.Format, head, tail []byte) bool {
	return f.OpenPath == nil && f.Match != nil && f.Match(head, tail)
}

func byExtension(formats []arrowio.Format, name string) (arrowio.Format, bool) {
	ext := strings.ToLower(path.Ext(name))
	for _, f := range formats {
		if f.OpenPath == nil && slices.Contains(f.Extensions, ext) {
			return f, true
		}
	}
	return arrowio.Format{}, false
}

// names returns the names of formats, of all or only of those with bytes to know them by.
func names(formats []arrowio.Format, matching bool) []string {
	var out []string
	for _, f := range formats {
		if !matching || f.Match != nil {
			out = append(out, f.Name)
		}
	}
	return out
}

func extensions(formats []arrowio.Format) []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.Extensions...)
	}
	return out
}

// Lookup returns the format of a name; one that does not exist is ErrOption and lists those that do.
func Lookup(name string) (arrowio.Format, error) { return lookup(All(), name) }

func lookup(formats []arrowio.Format, name string) (arrowio.Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return arrowio.Format{}, errs.Errorf(errs.ErrOption, "unknown input format %q (known: %s)", name, strings.Join(names(formats, false), ", "))
}

// Open opens src, whose name only tells the formats that nothing else tells. src stays the caller's to close, after
// the File. A format that is a directory (arrowio.Format.OpenPath) has no source: it is ErrOption here.
func Open(ctx context.Context, src arrowio.Source, name string, o Options) (arrowio.File, error) {
	f, err := Choose(src, name, o)
	if err != nil {
		return nil, err
	}
	oo := o.openOptions()
	oo.Name = name
	return f.Open(ctx, src, oo)
}

// Choose returns the format in which Open opens src: the one that o names, or else what Sniff says of src.
func Choose(src arrowio.Source, name string, o Options) (arrowio.Format, error) {
	if o.Format != "" {
		f, err := lookup(o.formats(), o.Format)
		if err == nil && f.OpenPath != nil {
			err = errs.Errorf(errs.ErrOption, "%s is the format of a directory, not of a single file", f.Name)
		}
		return explained(f, o.formats(), true), err
	}
	head, tail, err := readEnds(src)
	if err != nil {
		return arrowio.Format{}, err
	}
	return sniff(o.formats(), head, tail, name)
}

func (o Options) formats() []arrowio.Format {
	if o.Formats == nil {
		return All()
	}
	return o.Formats
}

func readEnds(src arrowio.Source) (head, tail []byte, err error) {
	n := min(src.Size(), sniffBytes)
	buf := make([]byte, 2*n)
	head, tail = buf[:n], buf[n:]
	for _, r := range []struct {
		dst []byte
		off int64
	}{{head, 0}, {tail, src.Size() - n}} {
		if k, err := src.ReadAt(r.dst, r.off); k < len(r.dst) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, nil, err
		}
	}
	return head, tail, nil
}
