package metastore

import (
	"context"
	"slices"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Struct is a struct of Thrift's with all its fields, known or not, so that it can be sent back with a few of them changed.
type Struct struct{ fields []field }

// field is a field of a struct. A value is a bool, an integer, a float64, a string, a *Struct, a *list or a *mapping.
type field struct {
	id    int16
	kind  thrift.TType
	value any
}

// list is a list or a set.
type list struct {
	of     thrift.TType
	values []any
}

type mapping struct {
	key, of      thrift.TType
	keys, values []any
}

// get returns the value of a field; nil = there is none.
func (s *Struct) get(id int16) any {
	for _, f := range s.fields {
		if f.id == id {
			return f.value
		}
	}
	return nil
}

func (s *Struct) set(id int16, kind thrift.TType, value any) *Struct {
	f := field{id, kind, value}
	if i := slices.IndexFunc(s.fields, func(x field) bool { return x.id == id }); i >= 0 {
		s.fields[i] = f
	} else {
		s.fields = append(s.fields, f)
	}
	return s
}

// Text returns the text of a field; "" = there is none.
func (s *Struct) Text(id int16) string {
	text, _ := s.get(id).(string)
	return text
}

// Struct returns the struct of a field; nil = there is none.
func (s *Struct) Struct(id int16) *Struct {
	x, _ := s.get(id).(*Struct)
	return x
}

// Structs returns the structs in the list of a field.
func (s *Struct) Structs(id int16) []*Struct { return listOf[*Struct](s.get(id)) }

// Texts returns the texts in the list of a field.
func (s *Struct) Texts(id int16) []string { return listOf[string](s.get(id)) }

func listOf[T any](value any) (out []T) {
	l, ok := value.(*list)
	if !ok {
		return nil
	}
	for _, v := range l.values {
		if x, ok := v.(T); ok {
			out = append(out, x)
		}
	}
	return out
}

// TextMap returns the map of a field from texts to texts.
func (s *Struct) TextMap(id int16) map[string]string {
	out := map[string]string{}
	if m, ok := s.get(id).(*mapping); ok {
		for i, k := range m.keys {
			name, _ := k.(string)
			out[name], _ = m.values[i].(string)
		}
	}
	return out
}

func (s *Struct) setText(id int16, text string) *Struct { return s.set(id, thrift.STRING, text) }
func (s *Struct) setInt32(id int16, n int32) *Struct    { return s.set(id, thrift.I32, n) }

func (s *Struct) setTexts(id int16, texts []string) *Struct {
	l := &list{of: thrift.STRING}
	for _, text := range texts {
		l.values = append(l.values, text)
	}
	return s.set(id, thrift.LIST, l)
}

func (s *Struct) setTextMap(id int16, texts map[string]string) *Struct {
	m := &mapping{key: thrift.STRING, of: thrift.STRING}
	for k, v := range texts {
		m.keys, m.values = append(m.keys, k), append(m.values, v)
	}
	return s.set(id, thrift.MAP, m)
}

// shallow returns a copy whose fields can be set; the values are shared.
func (s *Struct) shallow() *Struct { return &Struct{slices.Clone(s.fields)} }

// ReadStruct reads a struct. It is for servers in tests.
func ReadStruct(p *thrift.TBinaryProtocol) (*Struct, error) {
	d := &decoder{p: p, field: thrift.STRUCT}
	var s Struct
	d.whole(&s)
	return &s, d.err
}

// whole reads a struct with all its fields.
func (d *decoder) whole(to *Struct) {
	if d.is(thrift.STRUCT) {
		d.fields(func(id int16, t thrift.TType) {
			if d.more() {
				to.fields = append(to.fields, field{id, t, d.value()})
			}
		})
	}
}

// value reads the value that comes next, whatever its type.
func (d *decoder) value() any {
	ctx := context.Background()
	t := d.field
	switch t {
	case thrift.STRUCT:
		s := &Struct{}
		d.whole(s)
		return s
	case thrift.LIST, thrift.SET:
		return d.values()
	case thrift.MAP:
		return d.mapping()
	}
	d.field = thrift.STOP
	var v any
	var err error
	switch t {
	case thrift.BOOL:
		v, err = d.p.ReadBool(ctx)
	case thrift.BYTE:
		v, err = d.p.ReadByte(ctx)
	case thrift.I16:
		v, err = d.p.ReadI16(ctx)
	case thrift.I32:
		v, err = d.p.ReadI32(ctx)
	case thrift.I64:
		v, err = d.p.ReadI64(ctx)
	case thrift.DOUBLE:
		v, err = d.p.ReadDouble(ctx)
	case thrift.STRING:
		v, err = d.p.ReadString(ctx)
	default:
		err = errs.Errorf(errs.ErrCorrupt, "its answer has a value of the unknown type %d", t)
	}
	d.fail(err)
	return v
}

// values reads a list, or a set, which is written as a list is.
func (d *decoder) values() *list {
	l := &list{}
	var n int
	var err error
	l.of, n, err = d.p.ReadListBegin(context.Background())
	d.fail(err)
	d.within(func() {
		for i := 0; i < n && d.more(); i++ {
			d.field = l.of
			l.values = append(l.values, d.value())
		}
	})
	return l
}

func (d *decoder) mapping() *mapping {
	m := &mapping{}
	var n int
	var err error
	m.key, m.of, n, err = d.p.ReadMapBegin(context.Background())
	d.fail(err)
	d.within(func() {
		for i := 0; i < n && d.more(); i++ {
			d.field = m.key
			k := d.value()
			d.field = m.of
			m.keys, m.values = append(m.keys, k), append(m.values, d.value())
		}
	})
	return m
}

// within calls read, which reads what a list or a map has.
func (d *decoder) within(read func()) {
	if d.depth++; d.depth > mostDepth {
		d.fail(errs.Errorf(errs.ErrLimit, "its answer has values in more than %d values", mostDepth))
	}
	if d.err == nil {
		read()
	}
	d.depth--
	d.field = thrift.STOP
}

// whole writes the fields of a struct.
func (w *encoder) whole(s *Struct) {
	for _, f := range s.fields {
		if w.begin(f.id, f.kind) {
			w.value(f.kind, f.value)
		}
	}
}

func (w *encoder) value(kind thrift.TType, value any) {
	ctx := context.Background()
	switch v := value.(type) {
	case bool:
		w.ok(w.p.WriteBool(ctx, v))
	case int8:
		w.ok(w.p.WriteByte(ctx, v))
	case int16:
		w.ok(w.p.WriteI16(ctx, v))
	case int32:
		w.ok(w.p.WriteI32(ctx, v))
	case int64:
		w.ok(w.p.WriteI64(ctx, v))
	case float64:
		w.ok(w.p.WriteDouble(ctx, v))
	case string:
		w.ok(w.p.WriteString(ctx, v))
	case *Struct:
		w.whole(v)
		w.end()
	case *list: // a set is written as a list is
		w.ok(w.p.WriteListBegin(ctx, v.of, len(v.values)))
		for _, x := range v.values {
			w.value(v.of, x)
		}
	case *mapping:
		w.ok(w.p.WriteMapBegin(ctx, v.key, v.of, len(v.keys)))
		for i, k := range v.keys {
			w.value(v.key, k)
			w.value(v.of, v.values[i])
		}
	default:
		w.ok(errs.Errorf(errs.ErrInternal, "a value of type %d cannot be sent", kind))
	}
}

// typed decodes a struct again.
func typed(s *Struct, read func(d *decoder)) error {
	p := thrift.NewTBinaryProtocolConf(thrift.NewTMemoryBuffer(), nil)
	w := &encoder{p: p}
	w.whole(s)
	w.end()
	if w.err != nil {
		return w.err
	}
	d := &decoder{p: p, field: thrift.STRUCT}
	read(d)
	return d.err
}
