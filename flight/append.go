package flight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/writers"
)

// appending prepares to append to a dataset: the rows become one more file of its directory, in its format unless the command names
// another.
func (s *service) appending(ctx context.Context, c *PutCommand, w *Writable) (arrowio.Store, Spec, error) {
	spec := w.Spec(c.Dataset)
	if w.Store != nil {
		return nil, spec, rpcerr.Errorf(codes.Unimplemented, "rows cannot be appended to %s: its place does not take them", c.Dataset)
	}
	e, err := s.o.Catalog.Lookup(ctx, c.Dataset, nil)
	if err != nil {
		return nil, spec, err
	}
	if c.Format == "" {
		c.Format = e.Format
	}
	format, err := writers.Lookup(c.Format)
	if err != nil {
		return nil, spec, err
	}
	if format.Directory || len(format.Extensions) == 0 {
		return nil, spec, rpcerr.Errorf(codes.Unimplemented, "rows cannot be appended to %s: %s is a format of whole datasets", c.Dataset, format.Name)
	}
	dir := spec.Paths[0]
	if fi, err := os.Stat(dir); w.remote() == "" && (err != nil || !fi.IsDir()) {
		return nil, spec, rpcerr.Errorf(codes.FailedPrecondition, "rows cannot be appended to %s: it is no directory", c.Dataset)
	}
	reads := s.authorize(ctx, PermitRead, c.Dataset) == nil
	c.columns, c.hidden = e.Schema, !reads
	c.fits = func(rows *arrow.Schema) error {
		err := fitsInto(e.Schema, rows)
		if err != nil && c.hidden {
			return errAppendUnfit(c.Dataset)
		}
		return err
	}
	name := fmt.Sprintf("part-%05d-%s%s", len(e.Fragments), randomID(), format.Extensions[0])
	var st arrowio.Store
	if w.remote() != "" {
		st, err = w.stores().Create(ctx, dir+name, local.FileStoreOptions{})
	} else {
		st, err = local.NewFileStore(filepath.Join(dir, name), local.FileStoreOptions{})
	}
	if err != nil {
		return nil, spec, err
	}
	c.file = name
	return &oneFile{Store: st}, spec, nil
}

// errAppendUnfit is for clients that may not read the dataset, and so may not be told of its columns.
func errAppendUnfit(name string) error {
	return errs.Errorf(errs.ErrSchema, "what is appended does not fit the columns of %s", name)
}

// fitsInto returns an error unless rows can be added to a dataset that keeps its columns and types.
func fitsInto(dataset, rows *arrow.Schema) error {
	for _, f := range rows.Fields() {
		if !dataset.HasField(f.Name) {
			return errs.Errorf(errs.ErrSchema, "the dataset has no column %q to append to", f.Name)
		}
	}
	for _, f := range rows.Fields() {
		k := dataset.FieldIndices(f.Name)
		was := dataset.Field(k[0])
		one := func(f arrow.Field) *arrow.Schema { return arrow.NewSchema([]arrow.Field{f}, nil) }
		both, err := view.Unify([]*arrow.Schema{one(was), one(f)}, view.ByName)
		if err != nil || !arrow.TypeEqual(both.Field(0).Type, was.Type) {
			return errs.Errorf(errs.ErrSchema, "column %q is %s, and what is appended to it %s", f.Name, was.Type, f.Type)
		}
	}
	return nil
}

// oneFile is a store of one file: several would not appear together.
type oneFile struct {
	arrowio.Store
	begun bool
}

// Create implements arrowio.Store.
func (o *oneFile) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if o.begun {
		return nil, rpcerr.Errorf(codes.ResourceExhausted, "what is put at once must fit into one file here: put or append fewer rows at once, leave out max_file_bytes, or set a larger row_group_bytes")
	}
	o.begun = true
	return o.Store.Create(ctx, name)
}

// removeAppended removes what appends that were killed have left in the datasets of w.
func (w *Writable) removeAppended() ([]local.Leftover, error) {
	names, err := w.Datasets()
	var all []local.Leftover
	for _, name := range names {
		left, e := local.RemoveLeftovers(filepath.Join(w.Dir, name), func(part string) bool { return strings.HasPrefix(part, "part-") })
		if !errors.Is(e, fs.ErrNotExist) && err == nil {
			err = e
		}
		for i := range left {
			left[i].Output = name
		}
		all = append(all, left...)
	}
	return all, err
}
