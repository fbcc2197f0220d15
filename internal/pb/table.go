package pb

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Table lists the fields of a message that a program keeps as a T. It reads and writes them, and its Shape says how to
// show them.
//
//	var pointerTable = pb.NewTable(
//		pb.Int(1, "offset", func(p *Pointer) *int64 { return &p.Off }).Required(),
//		pb.Int(2, "size", func(p *Pointer) *int32 { return &p.Size }).Required(),
//	)
//
// A Table does not change once it is made.
type Table[T any] struct {
	Shape
	entries  []Entry[T]
	read     [denseFields]func(m *Message, v *T) // by number; nil = the field is passed over
	required uint32                              // a bit for each number
	start    func(v *T)
	check    func(v *T) error
}

// denseFields bounds the numbers that are looked up in an array; few messages have larger ones.
const denseFields = 32

// Entry is a field of a T.
type Entry[T any] struct {
	Field
	read     func(m *Message, v *T)                            // nil = the field is passed over
	write    func(b []byte, num protowire.Number, v *T) []byte // nil = the field is not written
	zero     func(v *T) bool
	absent   func(v *T) bool // then the field is not written; nil = it always is
	required bool
}

// NewTable returns the table of a message. Fields are written in the order of entries.
func NewTable[T any](entries ...Entry[T]) *Table[T] {
	t := &Table[T]{entries: entries}
	for i := range entries {
		e := &entries[i]
		t.Shape.fields = append(t.Shape.fields, &e.Field)
		if e.Num < denseFields {
			t.read[e.Num] = e.read
		}
		if e.required {
			t.required |= 1 << e.Num
		}
	}
	return t
}

// Start makes start set what a T has before its fields are read. It returns t.
func (t *Table[T]) Start(start func(v *T)) *Table[T] {
	t.start = start
	return t
}

// Check makes check judge a T after its fields were read. It returns t.
func (t *Table[T]) Check(check func(v *T) error) *Table[T] {
	t.check = check
	return t
}

// Parse reads message b into v, which is zero. What v gets may refer to b.
func (t *Table[T]) Parse(b []byte, v *T) error {
	m := New(b)
	t.Read(&m, v)
	return m.Err
}

// Read reads the fields that m has left into v.
func (t *Table[T]) Read(m *Message, v *T) {
	if t.start != nil {
		t.start(v)
	}
	var seen uint32
	for m.Next() {
		if m.Num >= denseFields {
			t.readLarge(m, v)
			continue
		}
		seen |= 1 << m.Num
		if read := t.read[m.Num]; read != nil {
			read(m, v)
		}
	}
	if m.Err != nil {
		return
	}
	if missing := t.required &^ seen; missing != 0 {
		t.missing(m, missing)
		return
	}
	if t.check != nil {
		m.Err = t.check(v)
	}
}

func (t *Table[T]) readLarge(m *Message, v *T) {
	for i := range t.entries {
		if e := &t.entries[i]; e.Num == m.Num && e.read != nil {
			e.read(m, v)
			return
		}
	}
}

func (t *Table[T]) missing(m *Message, missing uint32) {
	for i := range t.entries {
		if e := &t.entries[i]; e.Num < denseFields && missing>>e.Num&1 != 0 {
			m.Fail("no %s", e.Name)
		}
	}
}

// ReadField reads the present field of m, a message, into v.
func (t *Table[T]) ReadField(m *Message, v *T) {
	if !m.Is(protowire.BytesType) {
		return
	}
	at, end := m.at, m.end
	m.at, m.end = m.from, m.at
	t.Read(m, v)
	m.at, m.end = at, end
}

// readPart is ReadField; errors name the field.
func (t *Table[T]) readPart(m *Message, name string, v *T) {
	if t.ReadField(m, v); m.Err != nil {
		m.Err = Inside(m.Err, "%s", name)
	}
}

// Append appends the message that has v.
func (t *Table[T]) Append(b []byte, v *T) []byte {
	for i := range t.entries {
		if e := &t.entries[i]; e.write != nil && (e.absent == nil || !e.absent(v)) {
			b = e.write(b, e.Num, v)
		}
	}
	return b
}

// AppendField appends the message that has v as a field.
func (t *Table[T]) AppendField(b []byte, num protowire.Number, v *T) []byte {
	b, at := Open(b, num)
	return Close(t.Append(b, v), at)
}

// Required makes a message without the field corrupt.
func (e Entry[T]) Required() Entry[T] {
	e.required = true
	return e
}

// OmitZero leaves the field out where it has its zero value.
func (e Entry[T]) OmitZero() Entry[T] {
	e.absent = e.zero
	return e
}

// Always writes the field even where it has no value.
func (e Entry[T]) Always() Entry[T] {
	e.absent = nil
	return e
}

// With keeps whether the field is there in a place that has returns.
func (e Entry[T]) With(has func(v *T) *bool) Entry[T] {
	read := e.read
	e.read = func(m *Message, v *T) {
		read(m, v)
		*has(v) = true
	}
	e.absent = func(v *T) bool { return !*has(v) }
	return e
}

// If leaves the field out where present is false.
func (e Entry[T]) If(present func(v *T) bool) Entry[T] {
	e.absent = func(v *T) bool { return !present(v) }
	return e
}

// Reading makes read read the field in place of what the entry's constructor says.
func (e Entry[T]) Reading(read func(m *Message, v *T)) Entry[T] {
	e.read = read
	return e
}

// Writing makes write write the field in place of what the entry's constructor says.
func (e Entry[T]) Writing(write func(b []byte, num protowire.Number, v *T) []byte) Entry[T] {
	e.write, e.absent = write, nil
	return e
}

// As shows the field in another form.
func (e Entry[T]) As(f Form) Entry[T] {
	e.Form = f
	return e
}

// Of shows the field as a message that has a shape.
func (e Entry[T]) Of(s *Shape) Entry[T] {
	e.Form, e.Parts = FormMessage, s
	return e
}

// Word names the numbers that the field has. word returns "" for those without a name.
func (e Entry[T]) Word(word func(v uint64) string) Entry[T] {
	e.Field.Word = word
	return e
}

// Words names the numbers that the field has, 0 first.
func (e Entry[T]) Words(words ...string) Entry[T] {
	return e.Word(func(v uint64) string {
		if v < uint64(len(words)) {
			return words[v]
		}
		return ""
	})
}

// Each says how to name the elements of a repeated field, and how many of them to show; 0 = all.
func (e Entry[T]) Each(list List, most int) Entry[T] {
	e.List, e.Most = list, most
	return e
}

type unsigned interface {
	~uint8 | ~uint32 | ~uint64 | ~int | ~int64
}

// Only is a field that is neither read nor written.
func Only[T any](num protowire.Number, name string, form Form) Entry[T] {
	return Entry[T]{Field: Field{Num: num, Name: name, Form: form}}
}

// Custom is a field that read reads and write writes. Each may be nil.
func Custom[T any](num protowire.Number, name string, form Form, read func(m *Message, v *T), write func(b []byte, num protowire.Number, v *T) []byte) Entry[T] {
	return Entry[T]{Field: Field{Num: num, Name: name, Form: form}, read: read, write: write}
}

// value is a field of one value, in a place that at returns.
func value[T any, V comparable](num protowire.Number, name string, form Form, at func(v *T) *V, read func(m *Message, v *T), write func(b []byte, num protowire.Number, v *T) []byte) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: form}, read: read, write: write,
		zero: func(v *T) bool { return *at(v) == *new(V) },
	}
}

// pointer is a field of one value that may be absent: at returns the place of a pointer to it, nil = absent.
func pointer[T, V any](num protowire.Number, name string, form Form, at func(v *T) **V, read func(m *Message, v *T), write func(b []byte, num protowire.Number, v *T) []byte) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: form}, read: read, write: write,
		absent: func(v *T) bool { return *at(v) == nil },
	}
}

func readUint[V unsigned](m *Message) V {
	u := m.Uint64()
	x := V(u)
	if uint64(x) != u || x < 0 {
		m.tooLarge()
		return 0
	}
	return x
}

func readInt[V ~int32 | ~int64](m *Message) V {
	u := int64(m.Uint64())
	if int64(V(u)) != u {
		m.tooLarge()
	}
	return V(u)
}

func readSint[V ~int32 | ~int64](m *Message) V {
	v := m.Sint64()
	if int64(V(v)) != v {
		m.tooLarge()
	}
	return V(v)
}

func (m *Message) tooLarge() { m.Fail("protobuf field %d is %d, which is too large", m.Num, m.Val) }

// Uint is a field of a uint32, uint64 or enum. Numbers that do not fit V, or are negative in it, are corrupt.
func Uint[T any, V unsigned](num protowire.Number, name string, at func(v *T) *V) Entry[T] {
	return value(num, name, FormUint, at,
		func(m *Message, v *T) { *at(v) = readUint[V](m) },
		func(b []byte, num protowire.Number, v *T) []byte { return AppendUint(b, num, *at(v)) })
}

// UintOf is Uint of a field that may be absent.
func UintOf[T any, V unsigned](num protowire.Number, name string, at func(v *T) **V) Entry[T] {
	return pointer(num, name, FormUint, at,
		func(m *Message, v *T) { *at(v) = new(readUint[V](m)) },
		func(b []byte, num protowire.Number, v *T) []byte { return AppendUint(b, num, **at(v)) })
}

// Int is a field of an int32 or int64, which is ten bytes long where it is negative.
func Int[T any, V ~int32 | ~int64](num protowire.Number, name string, at func(v *T) *V) Entry[T] {
	return value(num, name, FormInt, at,
		func(m *Message, v *T) { *at(v) = readInt[V](m) },
		func(b []byte, num protowire.Number, v *T) []byte { return AppendUint(b, num, uint64(int64(*at(v)))) })
}

// SintOf is a field of a sint32 or sint64 that may be absent.
func SintOf[T any, V ~int32 | ~int64](num protowire.Number, name string, at func(v *T) **V) Entry[T] {
	return pointer(num, name, FormSint, at,
		func(m *Message, v *T) { *at(v) = new(readSint[V](m)) },
		func(b []byte, num protowire.Number, v *T) []byte {
			return AppendUint(b, num, protowire.EncodeZigZag(int64(**at(v))))
		})
}

// Bool is a field of a bool.
func Bool[T any](num protowire.Number, name string, at func(v *T) *bool) Entry[T] {
	return value(num, name, FormBool, at,
		func(m *Message, v *T) { *at(v) = m.Bool() },
		func(b []byte, num protowire.Number, v *T) []byte {
			return AppendUint(b, num, protowire.EncodeBool(*at(v)))
		})
}

// Fixed64 is a field of a fixed64.
func Fixed64[T any](num protowire.Number, name string, at func(v *T) *uint64) Entry[T] {
	return value(num, name, FormFixed, at,
		func(m *Message, v *T) { *at(v) = m.Fixed64() },
		func(b []byte, num protowire.Number, v *T) []byte { return AppendFixed64(b, num, *at(v)) })
}

// Double is a field of a double.
func Double[T any](num protowire.Number, name string, at func(v *T) *float64) Entry[T] {
	return value(num, name, FormDouble, at,
		func(m *Message, v *T) { *at(v) = m.Double() },
		func(b []byte, num protowire.Number, v *T) []byte {
			return AppendFixed64(b, num, math.Float64bits(*at(v)))
		})
}

// DoubleOf is a field of a double that may be absent.
func DoubleOf[T any](num protowire.Number, name string, at func(v *T) **float64) Entry[T] {
	return pointer(num, name, FormDouble, at,
		func(m *Message, v *T) { *at(v) = new(m.Double()) },
		func(b []byte, num protowire.Number, v *T) []byte {
			return AppendFixed64(b, num, math.Float64bits(**at(v)))
		})
}

// Text is a field of a string, which need not be UTF-8.
func Text[T any](num protowire.Number, name string, at func(v *T) *string) Entry[T] {
	return value(num, name, FormText, at,
		func(m *Message, v *T) { *at(v) = m.String() },
		func(b []byte, num protowire.Number, v *T) []byte { return AppendBytes(b, num, *at(v)) })
}

// Strings is a repeated field of strings, or of bytes, which refer to the message.
func Strings[T any, B ~string | ~[]byte](num protowire.Number, name string, form Form, at func(v *T) *[]B) Entry[T] {
	return Custom(num, name, form,
		func(m *Message, v *T) {
			to := at(v)
			*to = append(*to, B(m.Bytes()))
		},
		func(b []byte, num protowire.Number, v *T) []byte {
			for _, s := range *at(v) {
				b = AppendBytes(b, num, s)
			}
			return b
		})
}

// Bytes is a field of bytes, nil = absent. What is read refers to the message and is not nil.
func Bytes[T any](num protowire.Number, name string, at func(v *T) *[]byte) Entry[T] {
	return Entry[T]{
		Field:  Field{Num: num, Name: name, Form: FormBytes},
		read:   func(m *Message, v *T) { *at(v) = m.Bytes() },
		write:  func(b []byte, num protowire.Number, v *T) []byte { return AppendBytes(b, num, *at(v)) },
		absent: func(v *T) bool { return *at(v) == nil },
	}
}

// Varints is a repeated field of numbers, which is written packed and left out where there are none. Numbers are cut to
// the bits that V has.
func Varints[T any, V ~uint32 | ~uint64 | ~int32 | ~int](num protowire.Number, name string, at func(v *T) *[]V) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: FormUint},
		read: func(m *Message, v *T) {
			to := at(v)
			*to = AppendVarints(m, *to)
		},
		write:  func(b []byte, num protowire.Number, v *T) []byte { return AppendPacked(b, num, *at(v)) },
		absent: func(v *T) bool { return len(*at(v)) == 0 },
	}
}

// Part is a field of a message.
func Part[T, P any](num protowire.Number, name string, of *Table[P], at func(v *T) *P) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: FormMessage, Parts: &of.Shape},
		read:  func(m *Message, v *T) { of.readPart(m, name, at(v)) },
		write: func(b []byte, num protowire.Number, v *T) []byte { return of.AppendField(b, num, at(v)) },
	}
}

// PartOf is a field of a message that may be absent: at returns the place of a pointer to it, nil = absent.
func PartOf[T, P any](num protowire.Number, name string, of *Table[P], at func(v *T) **P) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: FormMessage, Parts: &of.Shape},
		read: func(m *Message, v *T) {
			p := new(P)
			of.readPart(m, name, p)
			*at(v) = p
		},
		write:  func(b []byte, num protowire.Number, v *T) []byte { return of.AppendField(b, num, *at(v)) },
		absent: func(v *T) bool { return *at(v) == nil },
	}
}

// Parts is a repeated field of messages. what says in errors what an element is: "stripe".
func Parts[T, P any](num protowire.Number, name, what string, of *Table[P], at func(v *T) *[]P) Entry[T] {
	return Entry[T]{
		Field: Field{Num: num, Name: name, Form: FormMessage, Parts: &of.Shape},
		read: func(m *Message, v *T) {
			list := at(v)
			n := len(*list)
			*list = append(*list, *new(P))
			of.ReadField(m, &(*list)[n])
			if m.Err != nil {
				m.Err = Inside(m.Err, "%s %d", what, n)
			}
		},
		write: func(b []byte, num protowire.Number, v *T) []byte {
			list := *at(v)
			for i := range list {
				b = of.AppendField(b, num, &list[i])
			}
			return b
		},
	}
}

// AppendUint appends a varint: a uint32, uint64, bool or enum.
func AppendUint[V unsigned](b []byte, num protowire.Number, v V) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
}

// AppendFixed64 appends a fixed64.
func AppendFixed64(b []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), v)
}

// AppendBytes appends a string, bytes or a message.
func AppendBytes[B ~[]byte | ~string](b []byte, num protowire.Number, v B) []byte {
	b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.BytesType), uint64(len(v)))
	return append(b, v...)
}

// AppendPacked appends a packed list of varints.
func AppendPacked[V ~uint32 | ~uint64 | ~int32 | ~int](b []byte, num protowire.Number, vs []V) []byte {
	b, at := Open(b, num)
	for _, v := range vs {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return Close(b, at)
}

// Open begins a field with a length. What is appended until Close, which takes at, is its content.
func Open(b []byte, num protowire.Number) (_ []byte, at int) {
	b = append(protowire.AppendTag(b, num, protowire.BytesType), 0) // most are shorter than 128
	return b, len(b)
}

// Close ends the field that Open began.
func Close(b []byte, at int) []byte {
	n := len(b) - at
	if n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	size := protowire.SizeVarint(uint64(n))
	for range size - 1 {
		b = append(b, 0)
	}
	copy(b[at+size-1:], b[at:at+n])
	protowire.AppendVarint(b[:at-1], uint64(n))
	return b
}
