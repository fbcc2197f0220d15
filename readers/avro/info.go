package avro

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

func isKind(err error) bool {
	var e *errs.Error
	return errors.As(err, &e)
}

// Info implements arrowio.File.
func (f *file) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info := &arrowio.Info{
		Format: Name, Version: "1", Rows: f.rows(), Bytes: f.src.Size(), Metadata: map[string][]byte{},
		Schema: f.schema, Notes: slices.Clone(f.notes),
		Facts: []arrowio.Fact{
			{Name: "codec", Value: f.header.Codec.String()},
			{Name: "blocks", Value: strconv.FormatInt(f.blocks, 10)},
			{Name: "sync marker", Value: fmt.Sprintf("%x", f.header.Sync)},
		},
	}
	for _, p := range f.header.Meta {
		info.Metadata[p.Key] = p.Value
	}
	types := []*trevniwire.Avro{f.avro}
	if f.avro.Kind == trevniwire.AvroRecord {
		types = nil
		for _, x := range f.avro.Fields {
			types = append(types, x.Type)
		}
	}
	for i, x := range f.schema.Fields() {
		info.Columns = append(info.Columns, arrowio.ColumnInfo{Path: x.Name, Type: x.Type.String(), Stored: storedType(types[i]), Codec: f.header.Codec.String(), Bytes: -1})
	}
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	if o.Blocks {
		if err := f.groups(ctx, info); err != nil {
			return nil, locate(err)
		}
	}
	return info, nil
}

func (f *file) rows() int64 {
	if len(f.splits) == 0 {
		return 0
	}
	return f.splits[len(f.splits)-1].Rows.End
}

// groups lists the blocks.
func (f *file) groups(ctx context.Context, info *arrowio.Info) error {
	var row int64
	return f.each(ctx, func(b block) error {
		info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: arrowio.RowRange{Start: row, End: row + b.Rows}, Off: b.off, Bytes: b.end() - b.off})
		row += b.Rows
		return nil
	})
}

// each calls do for all blocks, in order.
func (f *file) each(ctx context.Context, do func(b block) error) error {
	w := f.walker(ctx)
	for off := f.header.Size; off < f.end; {
		b, err := w.next(off)
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return err
		}
		off = b.end()
	}
	return nil
}

// storedType names an Avro type.
func storedType(s *trevniwire.Avro) string {
	if o := s.Optional(); o != nil {
		return "null or " + storedType(o)
	}
	if s.Logical != "" {
		return s.Name + " (" + s.Logical + ")"
	}
	return s.Name
}
