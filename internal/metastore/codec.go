package metastore

import (
	"context"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// decoder reads values. After the first error it reads nothing more.
type decoder struct {
	p     *thrift.TBinaryProtocol
	field thrift.TType // the type of the value that comes next
	count int          // of values in lists and maps of this answer
	depth int
	err   error
}

// Bounds of an answer: each value takes memory beside its bytes.
const (
	mostValues = 4 << 20
	mostDepth  = 16
)

func (d *decoder) fail(err error) {
	if d.err == nil && err != nil {
		d.err = err
	}
}

// is reports whether the value that comes next has a type, which is an error otherwise.
func (d *decoder) is(t thrift.TType) bool {
	if d.err == nil && d.field != t {
		d.fail(errs.Errorf(errs.ErrCorrupt, "its answer has a value of type %d where type %d was expected", d.field, t))
	}
	return d.err == nil
}

// fields reads the fields of a struct. do reads the value of one, or does not: then it is passed over.
func (d *decoder) fields(do func(id int16, t thrift.TType)) {
	ctx := context.Background()
	if d.depth++; d.depth > mostDepth {
		d.fail(errs.Errorf(errs.ErrLimit, "its answer has structs in more than %d structs", mostDepth))
	}
	for d.err == nil {
		_, t, id, err := d.p.ReadFieldBegin(ctx)
		if err != nil || t == thrift.STOP {
			d.fail(err)
			break
		}
		d.field = t
		do(id, t)
		if d.err == nil && d.field != thrift.STOP { // it was not read
			d.fail(thrift.Skip(ctx, d.p, t, mostDepth))
		}
	}
	d.depth--
	d.field = thrift.STOP
}

// structure reads a struct; do is called with d.field set to the type of the field.
func (d *decoder) structure(do func(id int16)) {
	if d.is(thrift.STRUCT) {
		d.fields(func(id int16, _ thrift.TType) { do(id) })
	}
}

func (d *decoder) text(to *string) {
	if d.is(thrift.STRING) {
		s, err := d.p.ReadString(context.Background())
		d.fail(err)
		*to, d.field = s, thrift.STOP
	}
}

func (d *decoder) bytes(to *[]byte) {
	if d.is(thrift.STRING) {
		b, err := d.p.ReadBinary(context.Background())
		d.fail(err)
		*to, d.field = b, thrift.STOP
	}
}

func (d *decoder) bool(to *bool) {
	if d.is(thrift.BOOL) {
		b, err := d.p.ReadBool(context.Background())
		d.fail(err)
		*to, d.field = b, thrift.STOP
	}
}

func (d *decoder) int32(to *int32) {
	if d.is(thrift.I32) {
		n, err := d.p.ReadI32(context.Background())
		d.fail(err)
		*to, d.field = n, thrift.STOP
	}
}

func (d *decoder) int64(to *int64) {
	if d.is(thrift.I64) {
		n, err := d.p.ReadI64(context.Background())
		d.fail(err)
		*to, d.field = n, thrift.STOP
	}
}

// list reads a list; each is called for every value, with d.field set to its type.
func (d *decoder) list(each func()) {
	if !d.is(thrift.LIST) {
		return
	}
	t, n, err := d.p.ReadListBegin(context.Background())
	d.fail(err)
	for i := 0; i < n && d.more(); i++ {
		d.field = t
		each()
	}
	d.field = thrift.STOP
}

// more counts a value of a list, a map or a struct that is kept as a whole.
func (d *decoder) more() bool {
	if d.count++; d.count > mostValues {
		d.fail(errs.Errorf(errs.ErrLimit, "its answer has more than %d values", mostValues))
	}
	return d.err == nil
}

func (d *decoder) texts(to *[]string) {
	d.list(func() {
		var s string
		d.text(&s)
		*to = append(*to, s)
	})
}

func (d *decoder) int64s(to *[]int64) {
	d.list(func() {
		var n int64
		d.int64(&n)
		*to = append(*to, n)
	})
}

func (d *decoder) textMap(to *map[string]string) {
	if !d.is(thrift.MAP) {
		return
	}
	kt, vt, n, err := d.p.ReadMapBegin(context.Background())
	d.fail(err)
	*to = map[string]string{}
	for i := 0; i < n && d.more(); i++ {
		var k, v string
		d.field = kt
		d.text(&k)
		d.field = vt
		d.text(&v)
		(*to)[k] = v
	}
	d.field = thrift.STOP
}

// encoder writes the fields of a struct. After the first error it writes nothing more.
type encoder struct {
	p   *thrift.TBinaryProtocol
	err error
}

func (w *encoder) ok(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *encoder) begin(id int16, t thrift.TType) bool {
	w.ok(w.p.WriteFieldBegin(context.Background(), "", t, id))
	return w.err == nil
}

// end ends a struct.
func (w *encoder) end() {
	if w.err == nil {
		w.ok(w.p.WriteFieldStop(context.Background()))
	}
}

func (w *encoder) text(id int16, s string) {
	if w.begin(id, thrift.STRING) {
		w.ok(w.p.WriteString(context.Background(), s))
	}
}

func (w *encoder) int16(id, n int16) {
	if w.begin(id, thrift.I16) {
		w.ok(w.p.WriteI16(context.Background(), n))
	}
}

func (w *encoder) texts(id int16, list []string) {
	if w.begin(id, thrift.LIST) {
		w.ok(w.p.WriteListBegin(context.Background(), thrift.STRING, len(list)))
		for _, s := range list {
			w.ok(w.p.WriteString(context.Background(), s))
		}
	}
}

func (w *encoder) structure(id int16, fields func()) {
	if w.begin(id, thrift.STRUCT) {
		fields()
		w.end()
	}
}

func (w *encoder) int32s(id int16, list ...int32) {
	if w.begin(id, thrift.LIST) {
		w.ok(w.p.WriteListBegin(context.Background(), thrift.I32, len(list)))
		for _, n := range list {
			w.ok(w.p.WriteI32(context.Background(), n))
		}
	}
}
