package orciceberg

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/internal/valueset"
	"github.com/arrowio/arrowio/readers/orc"
)

// valueSet is the values of equality deletes of the same columns: a row is deleted that has all of one of them.
type valueSet struct {
	*valueset.Set
	ids     []int32
	fields  []iceberg.Field
	columns []string // paths, of delete files and of data files alike
}

// positionBytes is what is reckoned for a position.
const positionBytes = 24

// loadValues adds the values of an equality delete file.
func (d *deletes) loadValues(ctx context.Context, in *orc.File, src arrowio.Source) error {
	if d.o.Table == nil {
		return errs.Errorf(errs.ErrOption, "deletes by values are about the columns of %w, which is missing", errs.Opt("orc-iceberg-schema", ""))
	}
	ids, err := equalityIDs(in)
	if err != nil {
		return err
	}
	fields, err := d.o.only(ids)
	if err != nil {
		return err
	}
	s, err := d.set(ids, fields)
	if err != nil {
		return err
	}
	shown, err := d.keysOf(ctx, s, src)
	if err != nil {
		return err
	}
	defer shown.Close()
	return icebergfile.Scan(ctx, shown, s.columns, func(rec arrow.Record) error {
		if d.bytes += s.Add(rec); d.bytes > positionBytes*d.most {
			return d.tooMany()
		}
		return nil
	})
}

// keysOf opens a file for the columns of a set alone.
func (d *deletes) keysOf(ctx context.Context, s *valueSet, src arrowio.Source) (arrowio.File, error) {
	o := tableOptions{Table: &iceberg.Table{Current: s.fields, Mapping: d.o.Table.Mapping}, Names: d.o.Names}
	if o.Names == nil && o.Table.Mapping == nil {
		o.Names = iceberg.NamesOf(d.o.Table.Current)
	}
	files := d.file.files
	files.Dictionary = false
	return o.openFile(ctx, src, d.file.limits, files)
}

// equalityIDs returns the columns by which a file deletes, sorted: as it says, or all that have ids.
func equalityIDs(in *orc.File) ([]int32, error) {
	var out []int32
	if text := string(in.UserMetadata(iceberg.DeleteIDs)); text != "" {
		for _, part := range strings.Split(text, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
			if err != nil || n < 0 {
				return nil, errs.Errorf(errs.ErrCorrupt, "%s is %q", iceberg.DeleteIDs, text)
			}
			out = append(out, int32(n))
		}
	} else {
		ids, err := icebergfile.IDsOf(in.Schema().Fields(), nil)
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			if id.ID >= 0 {
				if t, nested := in.Schema().Field(i).Type.(arrow.NestedType); nested {
					return nil, errs.Errorf(errs.ErrUnsupported, "it does not say by which columns it deletes (%s), and has %s", iceberg.DeleteIDs, t)
				}
				out = append(out, id.ID)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "it must delete by positions or by the values of columns with ids")
	}
	return out, nil
}

// only returns the schema's fields of these ids, with the structs that they are in, none of them required. Where the current
// schema has dropped one, the latest that has all of them counts.
func (o *tableOptions) only(ids []int32) ([]iceberg.Field, error) {
	from := slices.Concat(o.Table.Older, [][]iceberg.Field{o.Table.Current})
	for _, fields := range slices.Backward(from) {
		if picked := iceberg.Pick(fields, ids); picked != nil {
			return picked, nil
		}
	}
	for _, id := range ids {
		if iceberg.Find(o.Table.Current, id) == nil {
			return nil, errs.Errorf(errs.ErrSchema, "it deletes by column %d, which the schema does not have", id)
		}
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "it deletes by columns %v, of which one is no single value", ids)
}

// set returns the set of some columns, a new one where there is none.
func (d *deletes) set(ids []int32, all []iceberg.Field) (*valueSet, error) {
	for _, s := range d.sets {
		if slices.Equal(s.ids, ids) {
			return s, nil
		}
	}
	s := &valueSet{Set: valueset.New(), ids: ids, fields: all}
	for _, id := range ids {
		fields := all
		var names []string
		for _, i := range iceberg.Find(fields, id) {
			names = append(names, fields[i].Name)
			fields = fields[i].Type.Fields
		}
		s.columns = append(s.columns, expr.Quote(names...))
	}
	d.sets = append(d.sets, s)
	return s, nil
}

// find adds the positions of rows that a set has.
func (d *deletes) find(ctx context.Context, s *valueSet) error {
	if s.Len() == 0 {
		return nil
	}
	shown, err := d.keysOf(ctx, s, d.file.src)
	if err != nil {
		return err
	}
	defer shown.Close()
	first := int64(0)
	return icebergfile.Scan(ctx, shown, s.columns, func(rec arrow.Record) error {
		d.positions = s.Find(d.positions, rec, first)
		first += rec.NumRows()
		return nil
	})
}
