package dataset

import (
	"context"
	"encoding/json"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// member is a file of a table.
type member struct {
	arrowio.Fragment // without Open: text is still to be parsed
	format           string
	text             json.RawMessage
}

// Schema returns the schema of the file if it is known without opening the file, as that of a table is; nil = it is not.
func (in Input) Schema() *arrow.Schema {
	if in.member == nil {
		return nil
	}
	return in.member.Schema
}

// OpenInput opens an input that List has returned. Closing the File closes everything that was opened for it.
func OpenInput(ctx context.Context, in Input, o Options) (*File, error) {
	if in.member == nil {
		if err := inside(in.root, in.Path); err != nil {
			return nil, err
		}
		o.Root = in.root
		return Open(ctx, in.Path, o)
	}
	s, err := o.sideFiles(ctx)
	if err != nil {
		return nil, err
	}
	open := in.member.Open
	if open == nil {
		format, err := Lookup(o.Formats, in.member.format)
		if err == nil && format.ParseFragment == nil {
			err = errs.Errorf(errs.ErrOption, "%s is no format of tables", format.Name)
		}
		if err != nil {
			return nil, err
		}
		to, err := o.forFormat(format, in.Path)
		if err != nil {
			return nil, err
		}
		fr, err := format.ParseFragment(in.member.text, to)
		if err != nil {
			return nil, err
		}
		open = fr.Open
	}
	f, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return &File{File: f, format: in.member.format, sides: s}, nil
}

// tableFormat returns the format for which a directory is a table, or the zero Format.
func (x expansion) tableFormat(t arrowio.Tree) (arrowio.Format, error) {
	for _, f := range x.formats {
		if f.MatchTable == nil || x.told && f.Name != x.o.Format {
			continue
		}
		if ok, err := f.MatchTable(x.ctx, t); err != nil || ok {
			return f, err
		}
	}
	return arrowio.Format{}, nil
}

// members returns the files of a table.
func (x expansion) members(f arrowio.Format, t arrowio.Tree, metadata string) ([]Input, error) {
	name := metadata
	if name == "" {
		name = t.Path("")
	}
	to, err := x.o.forFormat(f, name)
	if err != nil {
		return nil, err
	}
	all, err := f.OpenTable(x.ctx, t, metadata, to)
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: name})
	}
	return inputsOf(f, all), nil
}

// file returns what a file stands for: itself, or the files of the table whose metadata it has.
func (x expansion) file(name string) ([]Input, error) {
	if in, ok, err := x.metadata(name); ok || err != nil {
		return in, err
	}
	return []Input{{Path: name, root: x.root}}, nil
}

// metadata returns the files of the table whose metadata a file has, if it is such a file.
func (x expansion) metadata(name string) ([]Input, bool, error) {
	for _, f := range x.formats {
		if f.MatchTableFile == nil || x.told && f.Name != x.o.Format {
			continue
		}
		dir, ok := f.MatchTableFile(name)
		if !ok {
			continue
		}
		t, err := x.o.stores().Tree(dir)
		if err != nil {
			return nil, true, err
		}
		in, err := x.members(f, t, name)
		return in, true, err
	}
	return nil, false, nil
}

// refuseTable returns an error for a table below the directory that was named: its files, read with others, are not its rows.
func (x expansion) refuseTable(t arrowio.Tree) error {
	if x.told {
		return nil
	}
	f, err := x.tableFormat(t)
	if err != nil || f.MatchTable == nil {
		return err
	}
	return errs.Locate(errs.Errorf(errs.ErrUnsupported, "this directory is a table of format %s, and cannot be read together with the files around it: name the table itself", f.Name), errs.At{File: t.Path("")})
}

// prune lets scans of d pass over files of tables that cannot match their filters, and tells the rows that tables say files have.
func (b *builder) prune(d *Dataset) {
	for i, in := range b.inputs {
		if s := in.Schema(); s != nil && b.o.Schema == nil && schemadiff.Schemas(s, d.Schema) == "" {
			d.Fragments[i].Never, d.Fragments[i].Rows = in.member.Never, in.member.Rows
		}
	}
}
