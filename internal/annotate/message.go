package annotate

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/pb"
)

// Messages prints protobuf messages field by field.
type Messages struct {
	*Writer
	// Say prints what bytes from..to of the content mean that the message is a part of.
	Say func(from, to int, format string, args ...any)
	// InFile reports whether a byte of the content is in the file as it is; nil = all are.
	InFile func(at int) bool
	// Bytes renders bytes, which are pb.FormText or pb.FormBytes.
	Bytes func(b []byte, form pb.Form) string
	// Name names element i of a repeated field; nil = by the field's name and i, where the field is a pb.ListNumbered.
	Name func(f *pb.Field, i int) string
	// Positions renders the positions of a row group. It may be nil where there are none.
	Positions func(p []uint64) string
	// Braces puts messages within a message that is on one line between braces.
	Braces bool
	// Pair returns the shape of a value, or how to show it, by the bytes of the field before it. It may be nil.
	Pair func(before []byte, f *pb.Field, value []byte) (parts *pb.Shape, text string)
}

// flatBytes is how long a message may be to be printed on one line with its bytes.
const flatBytes = 16

// shownNumbers is how many numbers of a repeated field are printed.
const shownNumbers = 32

// Fields prints the fields of a message that lies in raw at from..to, and returns where it stopped: at to, or where the
// bytes are no message.
func (w *Messages) Fields(raw []byte, from, to int, s *pb.Shape) int {
	counts := map[protowire.Number]int{}
	hidden, hiddenFrom, hiddenName := 0, 0, ""
	show := func(end int) {
		if hidden > 0 {
			w.Say(hiddenFrom, end, "%s: %d more", hiddenName, hidden)
			hidden = 0
		}
	}
	var before []byte
	p := from
	for p < to {
		num, typ, head, n := field(raw[p:to])
		if n < 0 {
			show(p)
			w.Note("! here is no field")
			return p
		}
		end := p + n
		f := s.Find(num)
		i := counts[num]
		counts[num]++
		if f != nil && f.Most > 0 && i >= f.Most {
			if hidden == 0 {
				hiddenFrom, hiddenName = p, f.Name
			}
			hidden++
			p = end
			continue
		}
		show(p)
		value := raw[p+head : end]
		var text string
		var parts *pb.Shape
		if f != nil {
			parts = f.Parts
		}
		if typ == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(value)
			if w.Pair != nil && f != nil && parts == nil {
				parts, text = w.Pair(before, f, inner)
			}
			before = inner
		}
		switch {
		case f == nil:
			w.Say(p, end, "field %d, not known", num)
		case text != "":
			w.Say(p, end, "%s: %s", f.Name, text)
		case parts != nil && typ == protowire.BytesType:
			w.part(raw, p, end, w.name(f, i), parts)
		default:
			w.Say(p, end, "%s: %s", f.Name, w.value(f, typ, value))
		}
		p = end
	}
	show(p)
	return p
}

// field reads the field that b begins with: the bytes of its tag and of all of it, which are -1 if there is no field.
func field(b []byte) (num protowire.Number, typ protowire.Type, head, n int) {
	num, typ, head = protowire.ConsumeTag(b)
	if head < 0 {
		return 0, 0, 0, -1
	}
	if n = protowire.ConsumeFieldValue(num, typ, b[head:]); n < 0 {
		return 0, 0, 0, -1
	}
	return num, typ, head, head + n
}

func (w *Messages) name(f *pb.Field, i int) string {
	switch {
	case f.List == pb.ListPlain:
		return f.Name
	case w.Name != nil:
		return w.Name(f, i)
	}
	return fmt.Sprintf("%s %d", f.Name, i)
}

// part prints a message within another: a small one on a line, another nested.
func (w *Messages) part(raw []byte, from, to int, name string, parts *pb.Shape) {
	_, _, tag := protowire.ConsumeTag(raw[from:to])
	b, _ := protowire.ConsumeBytes(raw[from+tag : to])
	if to-from <= flatBytes && !parts.Has(pb.FormPositions) {
		w.Say(from, to, "%s: %s", name, w.flat(b, parts))
		return
	}
	w.Section("%s", name)
	defer w.End()
	start := to - len(b)
	if w.InFile == nil || w.InFile(from) {
		w.Say(from, start, "%d bytes", len(b))
	}
	if p := w.Fields(raw, start, to, parts); p < to {
		w.Say(p, to, "the rest")
	}
}

// flat renders a message on one line.
func (w *Messages) flat(b []byte, s *pb.Shape) string {
	var parts []string
	for len(b) > 0 {
		num, typ, head, n := field(b)
		if n < 0 {
			return strings.Join(append(parts, "!"), ", ")
		}
		f, v := s.Find(num), b[head:n]
		switch {
		case f == nil:
			parts = append(parts, fmt.Sprintf("field %d", num))
		case f.Parts != nil && typ == protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(v)
			parts = append(parts, f.Name+" "+w.inner(w.flat(inner, f.Parts)))
		default:
			parts = append(parts, f.Name+" "+w.value(f, typ, v))
		}
		b = b[n:]
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, ", ")
}

func (w *Messages) inner(s string) string {
	if w.Braces {
		return "{" + s + "}"
	}
	return s
}

// value renders the value of a field, which is whole.
func (w *Messages) value(f *pb.Field, typ protowire.Type, b []byte) string {
	switch typ {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(b)
		if f.Form == pb.FormPositions {
			return w.Positions([]uint64{v})
		}
		return number(f, v)
	case protowire.Fixed64Type:
		v, _ := protowire.ConsumeFixed64(b)
		switch {
		case f.Form == pb.FormDouble:
			return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
		case f.Word != nil || f.Form == pb.FormUint:
			return number(f, v)
		}
		return fmt.Sprintf("%016x", v)
	case protowire.BytesType:
		v, _ := protowire.ConsumeBytes(b)
		return w.bytesValue(f, v)
	}
	return "! of another wire type"
}

func (w *Messages) bytesValue(f *pb.Field, v []byte) string {
	switch f.Form {
	case pb.FormText, pb.FormBytes:
		return w.Bytes(v, f.Form)
	case pb.FormBits:
		return SetBits(v)
	case pb.FormSecret:
		return fmt.Sprintf("%d bytes, not shown", len(v))
	case pb.FormDouble, pb.FormFixed:
		return "! of another wire type"
	}
	var numbers []uint64
	for len(v) > 0 {
		x, n := protowire.ConsumeVarint(v)
		if n < 0 {
			return "! not numbers"
		}
		numbers = append(numbers, x)
		v = v[n:]
	}
	if f.Form == pb.FormPositions {
		return w.Positions(numbers)
	}
	var parts []string
	for i, x := range numbers {
		if i == shownNumbers {
			parts = append(parts, fmt.Sprintf("… (%d)", len(numbers)))
			break
		}
		parts = append(parts, number(f, x))
	}
	return strings.Join(parts, " ")
}

func number(f *pb.Field, v uint64) string {
	if f.Word != nil {
		if word := f.Word(v); word != "" {
			return word
		}
	}
	switch f.Form {
	case pb.FormSint:
		return strconv.FormatInt(protowire.DecodeZigZag(v), 10)
	case pb.FormInt:
		return strconv.FormatInt(int64(v), 10)
	case pb.FormBool:
		return strconv.FormatBool(v != 0)
	}
	return strconv.FormatUint(v, 10)
}

// SetBits says how many bits are set.
func SetBits(b []byte) string {
	set := 0
	for _, x := range b {
		set += bits.OnesCount8(x)
	}
	return fmt.Sprintf("%d of %d bits are set", set, 8*len(b))
}
