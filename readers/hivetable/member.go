package hivetable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/readas"
)

// emptyFormat is the format of the member that a table without files has.
const emptyFormat = "empty"

// memberText is the JSON of a member.
type memberText struct {
	described
	Path   string   `json:"path"`
	Format string   `json:"format"`
	Values []string `json:"values,omitempty"` // of the partition
	ACID   *acid    `json:"acid,omitempty"`   // path is a directory; nil = a file
	Text   *layout  `json:"text,omitempty"`   // how a file of text is read

	Defaults []string `json:"defaults,omitempty"` // columns of which Hive shows a default where an Avro file lacks them
}

// member is a file of a table, or a directory of an ACID table.
type member struct {
	memberText
	table  *table
	values *values // nil = the table has no partitions
	at     int     // its row of values
}

func (m *member) fragment() arrowio.Fragment {
	f := arrowio.Fragment{Name: m.Path, Open: m.open, Schema: m.table.schema, Marshal: m.marshal}
	if m.values != nil {
		f.Never = func(filter *expr.Bound) bool { return m.values.Never(filter, m.at) }
	}
	return f
}

// marshal implements arrowio.Fragment.Marshal.
func (m *member) marshal() ([]byte, error) {
	x := m.memberText
	if m.values != nil {
		x.Values = m.values.texts[m.at]
	}
	return json.Marshal(x)
}

// parse implements arrowio.Format.ParseFragment.
func (r *reader) parse(text []byte, oo arrowio.OpenOptions) (arrowio.Fragment, error) {
	s, err := r.settings(oo)
	if err != nil {
		return arrowio.Fragment{}, err
	}
	m := &member{}
	if err := json.Unmarshal(text, &m.memberText); err != nil {
		return arrowio.Fragment{}, errs.Errorf(errs.ErrOption, "a file of a Hive table: %w", err)
	}
	if m.table, err = s.table(m.described); err != nil {
		return arrowio.Fragment{}, err
	}
	if keys := m.table.keys; keys != nil && m.Format != emptyFormat {
		if len(m.Values) != keys.NumFields() {
			return arrowio.Fragment{}, errs.Errorf(errs.ErrOption, "a file of a Hive table has %d partition values, and %d partition columns", len(m.Values), keys.NumFields())
		}
		if m.values, err = newValues(keys, [][]string{m.Values}); err != nil {
			return arrowio.Fragment{}, err
		}
		m.Values = nil
	}
	return m.fragment(), nil
}

// open implements arrowio.Fragment.Open.
func (m *member) open(ctx context.Context) (arrowio.File, error) {
	f, err := m.openAny(ctx)
	return f, errs.Locate(err, errs.At{File: m.Path})
}

func (m *member) openAny(ctx context.Context) (arrowio.File, error) {
	t := m.table
	if m.Format == emptyFormat {
		return view.Empty{Format: Name, Fields: t.schema}, nil
	}
	format, ok := t.reader.files[m.Format]
	if m.Format == textFormat && m.Text != nil && m.ACID == nil {
		format, ok = m.asText(), true
	}
	if !ok {
		return nil, errs.Errorf(errs.ErrUnsupported, "files in the format %.40q cannot be read", m.Format)
	}
	o := arrowio.OpenOptions{Limits: t.limits, Options: map[string]string{}, For: t.purpose, Name: m.Path, Schema: t.files, OpenSource: t.open, OpenTree: t.tree}
	if t.unit != "" {
		o.Options[optionUnit] = t.unit
	}
	x := &shownFile{of: m}
	var in arrowio.File
	var err error
	if m.ACID != nil {
		if in, err = t.openACID(ctx, format, m.Path, m.ACID, o); err != nil {
			return nil, err
		}
		if in == nil {
			return view.Empty{Format: Name, Fields: t.schema}, nil
		}
	} else {
		if x.closer, err = t.open(ctx, m.Path); err != nil {
			return nil, err
		}
		x.src = arrowio.NewCountingSource(x.closer)
		if in, err = format.Open(ctx, x.src, o); err != nil {
			return nil, errors.Join(err, x.closer.Close())
		}
	}
	if x.File, err = m.show(in); err != nil {
		err = errors.Join(err, in.Close())
		if x.closer != nil {
			err = errors.Join(err, x.closer.Close())
		}
		return nil, err
	}
	return x, nil
}

// asText returns the format of the lines of a member.
func (m *member) asText() arrowio.Format {
	return arrowio.Format{Name: textFormat, Open: func(_ context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		notation, schema := m.table.Columns, m.table.files
		if m.Text.Columns != "" {
			notation = m.Text.Columns
			var err error
			if schema, err = readas.Schema(notation, readas.Options{Unit: m.table.timeUnit()}); err != nil {
				return nil, err
			}
		}
		f, err := openText(src, m.Path, notation, m.Text, schema, o.Limits)
		if err != nil {
			return nil, err // not a nil *textFile
		}
		return f, nil
	}}
}

// show shows a file under the columns of the table.
func (m *member) show(in arrowio.File) (arrowio.File, error) {
	t := m.table
	columns := t.match()
	if m.Text != nil { // has no names: the columns of a partition are those of the table in their order, as Hive has it
		columns = view.ByPosition
	}
	o := view.Options{Match: t.match(), Cast: t.cast, Columns: view.MatchFields(in.Schema().Fields(), t.files.Fields(), columns)}
	if err := m.lacks(o.Columns); err != nil {
		return nil, err
	}
	if m.values != nil {
		o.Constants = m.values.Record.NewSlice(int64(m.at), int64(m.at)+1)
		for i, f := range t.keys.Fields() {
			o.Columns = append(o.Columns, -1)
			o.Facts = append(o.Facts, arrowio.Fact{Name: "partition " + f.Name, Value: o.Constants.Column(i).ValueStr(0)})
		}
	}
	return view.Show(in, t.schema, o)
}

// shownFile is a member as the table shows it.
type shownFile struct {
	arrowio.File
	src    *arrowio.CountingSource // nil = a directory
	closer arrowio.OpenSource
	of     *member
}

// Unwrap returns the file below: see arrowio.As.
func (x *shownFile) Unwrap() arrowio.File { return x.File }

// Close closes the file and its source.
func (x *shownFile) Close() error {
	err := x.File.Close()
	if x.closer != nil {
		err = errors.Join(err, x.closer.Close())
	}
	return err
}

// Identity implements arrowio.Identifier.
func (x *shownFile) Identity(ctx context.Context) (string, error) {
	var own string
	var err error
	if x.closer != nil {
		own, err = local.Identity(ctx, x.closer)
	} else if id, ok := arrowio.As[arrowio.Identifier](x.File); ok {
		own, err = id.Identity(ctx)
	} else {
		err = errs.Errorf(errs.ErrUnsupported, "the directory does not tell when it changes")
	}
	if err != nil {
		return "", err
	}
	said, err := x.of.marshal()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", own, said)
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// BytesRead implements arrowio.ByteCounter.
func (x *shownFile) BytesRead() int64 {
	if x.src != nil {
		return x.src.Bytes()
	}
	if c, ok := arrowio.As[arrowio.ByteCounter](x.File); ok {
		return c.BytesRead()
	}
	return 0
}

// BytesStored implements arrowio.ByteCounter.
func (x *shownFile) BytesStored() int64 {
	if x.src != nil {
		return x.src.Size()
	}
	if c, ok := arrowio.As[arrowio.ByteCounter](x.File); ok {
		return c.BytesStored()
	}
	return 0
}
