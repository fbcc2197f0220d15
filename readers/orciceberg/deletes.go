package orciceberg

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/readers/orc"
)

// delete returns shown, which is f or f under other names, without the rows that delete files name.
func (o *tableOptions) delete(ctx context.Context, f *file, shown arrowio.File) (arrowio.File, error) {
	most := o.DeleteEvents
	if most == 0 {
		most = defaultDeleteEvents
	}
	d := deletes{o: o, file: f, most: most, paths: newPaths(o)}
	for _, name := range o.Deletes {
		if err := d.load(ctx, name); err != nil {
			return nil, inDelete(name, err)
		}
	}
	if err := d.elsewhere(); err != nil {
		return nil, err
	}
	for _, s := range d.sets {
		if err := d.find(ctx, s); err != nil {
			return nil, err
		}
	}
	return f.without(shown, d.positions)
}

// inDelete says which delete file an error is about.
func inDelete(name string, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("delete file %s: %w", name, err)
	}
	c := *e
	c.Op = "delete file " + name
	if e.Op != "" {
		c.Op += ", " + e.Op
	}
	return &c
}

// deletes are the rows of one file that are deleted.
type deletes struct {
	o         *tableOptions
	file      *file
	most      int
	paths     paths
	positions []int64 // in no order
	sets      []*valueSet
	bytes     int // of the keys of all sets
	moved     string
}

// load reads a delete file.
func (d *deletes) load(ctx context.Context, name string) (err error) {
	src, err := d.o.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	files := d.file.files
	files.Dictionary, files.BinaryStrings, files.NullKeys = true, false, false
	in, err := orc.Open(ctx, src, d.file.limits, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	byPosition, err := d.isPositions(in)
	if err != nil {
		return err
	}
	if byPosition {
		return d.loadPositions(ctx, in)
	}
	return d.loadValues(ctx, in, src)
}

// isPositions tells position deletes from values: the file says so, or its columns do.
func (d *deletes) isPositions(in *orc.File) (bool, error) {
	switch kind := string(in.UserMetadata(iceberg.DeleteType)); kind {
	case "position":
		return true, nil
	case "equality":
		return false, nil
	case "":
	default:
		return false, errs.Errorf(errs.ErrUnsupported, "deletes of type %q", kind)
	}
	a, b, err := positionColumns(in)
	return a >= 0 && b >= 0, err
}

// positionColumns finds the two columns of position deletes; -1 = there is no such.
func positionColumns(in *orc.File) (file, pos int, err error) {
	file, pos = -1, -1
	fields := in.Schema().Fields()
	ids, err := icebergfile.IDsOf(fields, []iceberg.Name{
		{ID: iceberg.PathID, Names: []string{iceberg.PathName}}, {ID: iceberg.PositionID, Names: []string{iceberg.PositionName}},
	})
	for i := range ids {
		switch t := fields[i].Type; {
		case ids[i].ID == iceberg.PathID && t.ID() == arrow.DICTIONARY:
			file = i
		case ids[i].ID == iceberg.PositionID && t.ID() == arrow.INT64:
			pos = i
		}
	}
	return file, pos, err
}

// loadPositions adds the positions that are about the file.
func (d *deletes) loadPositions(ctx context.Context, in *orc.File) error {
	file, pos, err := positionColumns(in)
	if err != nil {
		return err
	}
	if file < 0 || pos < 0 {
		return errs.Errorf(errs.ErrSchema, "it has no columns %s and %s", iceberg.PathName, iceberg.PositionName)
	}
	schema := in.Schema()
	return icebergfile.Scan(ctx, in, []string{expr.Quote(schema.Field(file).Name), expr.Quote(schema.Field(pos).Name)}, func(rec arrow.Record) error {
		names, ok := rec.Column(0).(*array.Dictionary)
		if !ok {
			return errs.Errorf(errs.ErrInternal, "%s is %s", iceberg.PathName, rec.Column(0).DataType())
		}
		if names.NullN() > 0 || rec.Column(1).NullN() > 0 {
			return errs.Errorf(errs.ErrCorrupt, "a delete without a path or a position")
		}
		values, ok := names.Dictionary().(*array.String)
		if !ok {
			return errs.Errorf(errs.ErrInternal, "%s is %s", iceberg.PathName, rec.Column(0).DataType())
		}
		about := make([]bool, values.Len())
		some := false
		for i := range about {
			about[i] = d.isAbout(values.Value(i))
			some = some || about[i]
		}
		if !some {
			return nil
		}
		at := rec.Column(1).(*array.Int64).Int64Values()
		for i, k := range names.Indices().(*array.Int32).Int32Values() {
			if about[k] {
				d.positions = append(d.positions, at[i])
			}
		}
		if len(d.positions) > d.most {
			return d.tooMany()
		}
		return nil
	})
}

func (d *deletes) tooMany() error {
	return errs.Errorf(errs.ErrLimit, "more than %d deletes of one file: %w allows more", d.most, errs.Opt("orc-delete-events", ""))
}

// paths are the forms of the path of the file that is read.
type paths struct {
	full []string
	last string
}

func newPaths(o *tableOptions) paths {
	p := paths{full: []string{plainPath(o.path)}, last: path.Base(plainPath(o.path))}
	if !strings.Contains(o.path, "://") && o.path != "" {
		if abs, err := filepath.Abs(strings.TrimPrefix(o.path, "file:")); err == nil {
			p.full = append(p.full, plainPath(filepath.ToSlash(abs)))
		}
	}
	return p
}

// plainPath is one form for the ways to write a path: without the scheme of local files, and with one scheme for S3.
func plainPath(p string) string {
	switch {
	case strings.HasPrefix(p, "file:///"):
		p = p[len("file://"):]
	case strings.HasPrefix(p, "file:/"):
		p = p[len("file:"):]
	case strings.HasPrefix(p, "s3a://"), strings.HasPrefix(p, "s3n://"):
		p = "s3" + p[len("s3a"):]
	}
	if !strings.Contains(p, "://") && p != "" {
		p = path.Clean(p)
	}
	return p
}

// isAbout reports whether a path in a delete is that of the file.
func (d *deletes) isAbout(name string) bool {
	for _, m := range d.o.Moves {
		if rest, ok := strings.CutPrefix(name, m.From); ok {
			name = m.To + rest
			break
		}
	}
	name = plainPath(name)
	if slices.Contains(d.paths.full, name) {
		return true
	}
	if path.Base(name) != d.paths.last {
		return false
	}
	if d.o.Paths == pathSuffix {
		return true
	}
	d.moved = name
	return false
}

// elsewhere refuses deletes of which none is about the file, and some are about one of its name.
func (d *deletes) elsewhere() error {
	if d.moved == "" || len(d.positions) > 0 || d.o.Paths != pathChecked {
		return nil
	}
	return errs.Errorf(errs.ErrOption, "no position delete is about this file, and some are about %s: %w says what the path has become, %w that the last part tells, %w that these are two files", d.moved, errs.Opt("orc-delete-move", ""), errs.Opt("orc-delete-paths", "suffix"), errs.Opt("orc-delete-paths", "full"))
}

// without leaves out of shown, which has the rows of f, those at positions, in any order; positions that the file does not have delete nothing, and are told.
func (f *file) without(shown arrowio.File, positions []int64) (arrowio.File, error) {
	positions, beyond := gonerows.Sorted(positions, f.Rows())
	if beyond > 0 {
		f.warnings = append(f.warnings, arrowio.Warnf(arrowio.WarnDoubt, strconv.Itoa(beyond)+" deletes are about rows that the file does not have"))
	}
	if len(positions) == 0 {
		return shown, nil
	}
	return gonerows.Without(shown, positions)
}
