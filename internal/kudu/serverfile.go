package kudu

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kudu/atrest"
	"github.com/arrowio/arrowio/internal/kudu/inspect"
)

// serverFile is one of a server's small files by itself: a superblock, consensus metadata, an instance file, block records, or
// a segment of a write-ahead log. It can be dumped, and has no rows.
type serverFile struct {
	rowless
	inspect.File
	kind string
}

// matchServerFile reports whether a file is one that openServerFile opens.
func matchServerFile(head, _ []byte) bool { return inspect.Match(head) || atrest.Is(head) }

func openServerFile(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
	opt, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	var keys keyring
	if header, err := atrest.Header(src, src.Size()); err != nil || header != nil {
		if err == nil {
			err = keys.find(ctx, opt.Key, o)
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name})
		}
	}
	if open := o.OpenSource; open != nil && matchContainer(ctx, src, o.Name, open, &keys) {
		return openContainer(ctx, src, o, &keys)
	}
	if len(keys.keys) > 0 && strings.HasSuffix(o.Name, dataSuffix) {
		return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "an encrypted %s, whose records are not beside it: %w", whatContainer, errHowToRead), errs.At{Format: Name})
	}
	if src, err = keys.open(src, nil, o.Name, atrest.HeaderSize, atrest.HeaderSize); err != nil {
		return nil, err
	}
	f := &serverFile{File: inspect.File{Src: src, Limits: o.Limits.WithDefaults()}}
	head, err := f.Head()
	if err != nil {
		return nil, err
	}
	if !inspect.Match(head) {
		return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "it begins with %q, which no small file of a server does; %w", head, errHowToRead), errs.At{Format: Name})
	}
	if f.kind, err = f.Kind(); err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	f.rowless = rowless{src.Size(), fmt.Errorf("%s, which cannot be read as rows: arrowio dump shows it; to read a table, use %w with the server's directory", f.kind, errs.Opt("from", "kudu"))}
	return f, nil
}

// Info implements arrowio.File.
func (f *serverFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{
		Format: Name, Rows: arrowio.UnknownRows, Bytes: f.Src.Size(), Schema: f.Schema(),
		Facts: []arrowio.Fact{{Name: "what it is", Value: f.kind}},
		Notes: []string{"arrowio dump shows all of it; --from=kudu with the server's directory reads tables"},
	}, nil
}

// Dump implements arrowio.Dumper.
func (f *serverFile) Dump(ctx context.Context, w io.Writer) error {
	return errs.Locate(f.File.Dump(ctx, w), errs.At{Format: Name})
}

// Verify implements arrowio.Verifier.
func (f *serverFile) Verify(ctx context.Context, report func(error)) error {
	at := errs.At{Format: Name}
	err := f.File.Verify(ctx, func(err error) { report(errs.Locate(err, at)) })
	return errs.Locate(err, at)
}

// DumpJSON writes what the file says as a JSON object.
func (f *serverFile) DumpJSON(ctx context.Context, w io.Writer) error {
	return errs.Locate(f.File.DumpJSON(ctx, w), errs.At{Format: Name})
}
