package writers

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/partwriter"
	"github.com/arrowio/arrowio/writers/avro"
	"github.com/arrowio/arrowio/writers/cfile"
	"github.com/arrowio/arrowio/writers/csv"
	"github.com/arrowio/arrowio/writers/ipc"
	"github.com/arrowio/arrowio/writers/jsonl"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
	"github.com/arrowio/arrowio/writers/trevni"
)

// All returns every format that can be written.
func All() []arrowio.OutputFormat {
	return []arrowio.OutputFormat{
		trevni.Format(),
		orc.Format(),
		cfile.Format(),
		cfile.KuduFormat(),
		ipc.Format(),
		ipc.StreamFormat(),
		parquet.Format(),
		avro.Format(),
		csv.Format(),
		jsonl.Format(),
	}
}

// Lookup returns the format with this name. An unknown name is ErrOption; the error lists the known names.
func Lookup(name string) (arrowio.OutputFormat, error) {
	var names []string
	for _, f := range All() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return arrowio.OutputFormat{}, errs.Errorf(errs.ErrOption, "unknown output format %q (known: %s)", name, strings.Join(names, ", "))
}

// ByExtension returns the format with the extension of path. An unknown extension is ErrOption; the error lists the known ones.
// The path of a directory may end in a separator.
func ByExtension(path string) (arrowio.OutputFormat, error) {
	base := strings.ToLower(filepath.Base(filepath.Clean(path)))
	var all []string
	for _, f := range All() {
		if slices.ContainsFunc(f.Extensions, func(ext string) bool { return strings.HasSuffix(base, ext) }) {
			return packedAs(f, partwriter.PackingOf(base)), nil
		}
		all = append(all, f.Extensions...)
	}
	return arrowio.OutputFormat{}, errs.Errorf(errs.ErrOption, "the extension of %q is none of %s: name the format with %w", path, strings.Join(all, ", "), errs.Opt("to", ""))
}

// For returns the format with this name for an output at path: text is packed where path ends so, as it is without a name. An
// empty name is ByExtension.
func For(name, path string) (arrowio.OutputFormat, error) {
	if name == "" {
		return ByExtension(path)
	}
	f, err := Lookup(name)
	packing := partwriter.PackingOf(path)
	if err != nil || !slices.ContainsFunc(f.Extensions, func(ext string) bool { return packing != "" && partwriter.PackingOf(ext) == packing }) {
		return f, err
	}
	return packedAs(f, packing), nil
}

// packedAs returns a format of text whose files are compressed as their extension says; packing "" is f.
func packedAs(f arrowio.OutputFormat, packing string) arrowio.OutputFormat {
	if packing == "" {
		return f
	}
	plan := f.Plan
	f.Plan = func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
		if o.Compression == "" {
			o.Compression = packing
		}
		if name, _, _ := strings.Cut(o.Compression, ":"); name != packing {
			return nil, errs.Errorf(errs.ErrOption, "compression %q, but the extension of the output says %s", o.Compression, packing)
		}
		return plan(s, o)
	}
	return f
}

// Options says how to create a file. The zero value is the default.
type Options struct {
	Format string // name of the format; "" = the extension of the path decides
	Force  bool   // replace an existing output
	Write  arrowio.WriteOptions
}

// Create opens a writer of batches of schema s. The output appears at path only when Close has succeeded; see local.NewFileStore
// for what happens to an existing file. The caller ends the writer by Close or Abort.
func Create(ctx context.Context, path string, s *arrow.Schema, o Options) (arrowio.Writer, error) {
	f, err := For(o.Format, path)
	if err != nil {
		return nil, err
	}
	p, err := f.Plan(s, o.Write)
	if err != nil {
		return nil, err
	}
	st, err := local.NewFileStore(path, local.FileStoreOptions{Force: o.Force, Directory: f.Directory})
	if err != nil {
		return nil, err
	}
	return arrowio.NewWriter(ctx, f, st, p)
}
