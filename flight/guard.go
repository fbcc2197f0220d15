package flight

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Share is a part of a dataset that a client may read.
type Share struct {
	Columns []string  // dotted paths; nil = all; a path that names no column is passed over
	Where   expr.Expr // only rows that satisfy it; nil = all
}

// Restrictor is an Authorizer that permits clients to read parts of datasets.
type Restrictor interface {
	// Shares returns what of a dataset a call may read: what is in each of the shares; none = all. It is called for datasets that
	// Authorize permits to read, and put.
	Shares(ctx context.Context, c *Call, dataset string) ([]Share, error)
}

// guard lies between every request of a client that may read only a part of a dataset and the dataset. The Entry that has it shows
// a dataset of other columns, without files: who wants rows has to come by bind, which asks the guard.
type guard struct {
	full  *Entry
	data  *dataset.Dataset // of full; without metadata, and where there is a filter, without dictionaries
	where expr.Expr        // of columns of data.Schema; nil = all rows
}

// shares asks the Authorizer.
func (s *Server) shares(ctx context.Context, name string) ([]Share, error) {
	r, ok := s.o.Authorizer.(Restrictor)
	if !ok {
		return nil, nil
	}
	c := CallFrom(ctx)
	if c == nil {
		return nil, errs.Errorf(errs.ErrInternal, "no call to authorize")
	}
	out, err := r.Shares(ctx, c, name)
	return out, denied(err)
}

// restricts reports whether there are clients that may read only a part of a dataset, as far as the Authorizer tells.
func (s *Server) restricts(name string) bool {
	a, ok := s.o.Authorizer.(*Access)
	return ok && slices.ContainsFunc(a.restrictions, func(r Restriction) bool { return r.Names(name) })
}

// narrowed reports whether there is a dataset, or a view, that the client of a call may not read, or not as a whole.
func (s *Server) narrowed(ctx context.Context) bool {
	for _, name := range slices.AppendSeq(s.o.Catalog.Names(), maps.Keys(s.o.SQL.Views)) {
		if s.authorize(ctx, PermitRead, name) != nil {
			return true
		}
		if shares, err := s.shares(ctx, name); err != nil || len(shares) > 0 {
			return true
		}
	}
	return false
}

// sharedWith returns e as the client of a call may read it. Every Entry that a client is told of has gone through here.
func (s *Server) sharedWith(ctx context.Context, e *Entry) (*Entry, error) {
	shares, err := s.shares(ctx, e.Name)
	if err != nil || len(shares) == 0 {
		return e, err
	}
	out, err := e.shared(shares)
	if err != nil {
		s.logger.ErrorContext(ctx, "what a client may read cannot be told", "dataset", e.Name, "error", err.Error())
		return nil, rpcerr.Errorf(codes.PermissionDenied, "what this client may read of %s cannot be told, since its columns do not fit; the server's log has more", e.Name)
	}
	return out, nil
}

// shared returns e narrowed to what is in each of shares.
func (e *Entry) shared(shares []Share) (*Entry, error) {
	g := &guard{full: e}
	var filters []expr.Expr
	for _, s := range shares {
		if s.Where != nil {
			filters = append(filters, s.Where)
		}
	}
	data := *e.Dataset
	if len(filters) > 0 { // a dictionary has values of rows that are left out
		data = *plainDictionaries(&data)
	}
	data.Schema = arrow.NewSchema(data.Schema.Fields(), nil) // metadata describes all columns
	if err := distinct(data.Schema.Fields()); err != nil {
		return nil, err
	}
	g.data = &data
	shown := data.Schema
	if len(filters) > 0 {
		shown = arrow.NewSchema(slices.DeleteFunc(slices.Clone(shown.Fields()), func(f arrow.Field) bool { return sharesValues(f.Type) }), nil)
		g.where = expr.And(filters)
		if len(filters) == 1 {
			g.where = filters[0]
		}
		if _, err := expr.Bind(g.where, data.Schema); err != nil {
			return nil, err
		}
	}
	for _, s := range shares {
		if s.Columns == nil {
			continue
		}
		var err error
		if shown, err = onlyColumns(shown, s.Columns); err != nil {
			return nil, err
		}
	}
	out := *e
	out.guard, out.Schema = g, shown
	out.Dataset, out.Fragments, out.LeftOut, out.at = &dataset.Dataset{Schema: shown}, nil, nil, nil
	if g.where != nil {
		out.Rows, out.Bytes = arrowio.UnknownRows, unknownBytes
	}
	return &out, nil
}

// unknownBytes is the size of a dataset of which a client may not read all rows.
const unknownBytes = -1

// onlyColumns narrows a schema to columns, in the schema's order.
func onlyColumns(s *arrow.Schema, columns []string) (*arrow.Schema, error) {
	type found struct {
		path string
		ids  []int
	}
	var there []found
	for _, c := range columns {
		if ids, err := expr.Resolve(s, c); err == nil && !expr.Numbered(c) {
			there = append(there, found{c, ids})
		}
	}
	slices.SortStableFunc(there, func(a, b found) int { return slices.Compare(a.ids, b.ids) })
	paths := []string{}
	for _, f := range there {
		paths = append(paths, f.path)
	}
	p, err := arrowio.Project(s, paths)
	return p.Schema, err
}

// distinct returns an error if two fields of one struct, or two columns, differ in case alone, or not at all: then a name could
// mean another field under a schema that has fewer.
func distinct(fields []arrow.Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		key := strings.Map(leastCase, f.Name)
		if seen[key] {
			return errs.Errorf(errs.ErrSchema, "two columns are called %s, in some case, so that what is restricted to columns cannot name them", f.Name)
		}
		seen[key] = true
		if err := distinct(arrowtype.Children(f.Type)); err != nil {
			return err
		}
	}
	return nil
}

// leastCase is the same for all cases of a letter.
func leastCase(r rune) rune {
	least := r
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		least = min(least, x)
	}
	return least
}

// sharesValues reports whether arrays of a type refer to values that other rows may refer to, and that stay when those rows are left
// out.
func sharesValues(t arrow.DataType) bool {
	t = arrowtype.Storage(t)
	switch t.ID() {
	case arrow.DICTIONARY, arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		return true
	}
	return slices.ContainsFunc(arrowtype.Children(t), func(f arrow.Field) bool { return sharesValues(f.Type) })
}

// bind makes b, which fits what the guard shows, one of the whole dataset.
func (g *guard) bind(b *bound) error {
	if g.where != nil {
		switch {
		case b.Rows != "":
			return g.refuse("rows cannot be counted in %s")
		case b.Resume != nil:
			return g.refuse("a stream of %s cannot be resumed")
		}
	}
	shown := b.data.Schema
	data := g.data
	if b.Dictionary != nil && !*b.Dictionary {
		data = plainDictionaries(data)
	}
	b.data = data
	b.columns = projectedPaths([]string{}, b.schema.Fields(), data.Schema.Fields())
	if p, err := arrowio.Project(data.Schema, b.columns); err != nil || !sameColumns(p.Schema.Fields(), b.schema.Fields()) {
		return errs.Errorf(errs.ErrInternal, "%s: columns %q do not make %s: %w", b.Dataset, b.columns, b.schema, err)
	}
	if b.where != nil {
		exact, err := expr.Exact(b.where, shown)
		if err != nil {
			return errs.Errorf(errs.ErrInternal, "%w", err)
		}
		b.where = exact
	}
	// What the client asks for rules out no file or split before it is read, where that would tell of rows that it may not read.
	plan := b.where
	if g.where != nil {
		plan = g.where
		b.where = and(g.where, b.where)
	}
	b.filter = nil
	if plan == nil {
		return nil
	}
	var err error
	if b.filter, err = expr.Bind(plan, data.Schema); err == nil {
		_, err = expr.Bind(b.where, data.Schema)
	}
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return nil
}

// and is both of two predicates; b may be nil.
func and(a, b expr.Expr) expr.Expr {
	if b == nil {
		return a
	}
	return expr.And{a, b}
}

func (g *guard) refuse(format string) error {
	return rpcerr.Errorf(codes.PermissionDenied, format+": this client may read only a part of its rows", g.full.Name)
}

// projectedPaths returns the paths by which fields, a projection of all, are projected.
func projectedPaths(out []string, fields, all []arrow.Field, above ...string) []string {
	for _, f := range fields {
		i := slices.IndexFunc(all, func(o arrow.Field) bool { return o.Name == f.Name })
		if i < 0 {
			continue
		}
		names := append(slices.Clone(above), f.Name)
		part, whole := structOf(f.Type), structOf(all[i].Type)
		if part == nil || whole == nil || part.NumFields() == whole.NumFields() && sameColumns([]arrow.Field{f}, []arrow.Field{all[i]}) {
			out = append(out, expr.ExactPath(names...))
			continue
		}
		out = projectedPaths(out, part.Fields(), whole.Fields(), names...)
	}
	return out
}

// structOf returns the struct that a path into a type leads to; nil = none.
func structOf(t arrow.DataType) *arrow.StructType {
	switch x := arrowtype.Storage(t).(type) {
	case *arrow.StructType:
		return x
	case *arrow.MapType:
		return structOf(x.ItemType())
	case arrow.ListLikeType:
		return structOf(x.Elem())
	}
	return nil
}

// sameColumns reports whether fields have the same names and types.
func sameColumns(a, b []arrow.Field) bool {
	return slices.EqualFunc(a, b, func(x, y arrow.Field) bool { return x.Name == y.Name && arrow.TypeEqual(x.Type, y.Type) })
}

// whole returns the dataset that a guard lies before.
func (e *Entry) whole() *Entry {
	if e.guard != nil {
		return e.guard.full
	}
	return e
}

// Whole reports whether e is all of the dataset. Of one that a client may not read as a whole no files are told.
func (e *Entry) Whole() bool { return e.guard == nil }

// Numbered reports whether rows of e can be asked for by number: the client may read all of them.
func (e *Entry) Numbered() bool { return e.guard == nil || e.guard.where == nil }

// told returns an error unless the client may be told what files say of themselves.
func (e *Entry) told() error {
	if e.guard == nil {
		return nil
	}
	return rpcerr.Errorf(codes.PermissionDenied, "this client may read only a part of %s, and this would tell of all of it", e.Name)
}

// failed returns an error of reading files for a client. Where the client may read only a part, it is not told what is wrong with
// which file, column and value; the log is.
func (e *Entry) failed(ctx context.Context, err error) error {
	var known *rpcerr.Error
	if err == nil || e.guard == nil || errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	log := e.of.catalog.o.Logger
	id := ""
	if c := CallFrom(ctx); c != nil {
		id = c.ID
	}
	log.WarnContext(ctx, "a part of a dataset could not be read", "dataset", e.Name, "request_id", id, "error", err.Error())
	code, _ := classify(err)
	return rpcerr.Errorf(code, "%s could not be read: the server's log has more under request id %s", e.Name, id)
}
