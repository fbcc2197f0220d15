package inspect

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// jsonWriter writes indented JSON piece by piece, so that files of any size need little memory. An error of the writer below
// stays, and end returns it.
type jsonWriter struct {
	w     *bufio.Writer
	depth int
	first bool // nothing is in the innermost object or array yet
}

func newJSON(w io.Writer) *jsonWriter { return &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)} }

func (j *jsonWriter) put(s string) { _, _ = j.w.WriteString(s) }

func (j *jsonWriter) line() {
	j.put("\n")
	for range j.depth {
		j.put("  ")
	}
}

func (j *jsonWriter) open(c byte) {
	_ = j.w.WriteByte(c)
	j.depth++
	j.first = true
}

func (j *jsonWriter) close(c byte) {
	j.depth--
	if !j.first {
		j.line()
	}
	j.first = false
	_ = j.w.WriteByte(c)
}

// element begins an element of an array.
func (j *jsonWriter) element() *jsonWriter {
	if !j.first {
		j.put(",")
	}
	j.first = false
	j.line()
	return j
}

// key begins a field of an object.
func (j *jsonWriter) key(name string) *jsonWriter {
	j.element().text(name)
	j.put(": ")
	return j
}

func (j *jsonWriter) text(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		b = []byte("null")
	}
	_, _ = j.w.Write(b)
}

func (j *jsonWriter) number(v uint64) { j.put(strconv.FormatUint(v, 10)) }
func (j *jsonWriter) bool(v bool)     { j.put(strconv.FormatBool(v)) }

func (j *jsonWriter) end() error {
	j.put("\n")
	return j.w.Flush()
}

func (j *jsonWriter) faults(faults []string) {
	if len(faults) == 0 {
		return
	}
	j.key("faults").open('[')
	for _, f := range faults {
		j.element().text(f)
	}
	j.close(']')
}

// message writes a message as an object. Fields are in the order of the shape; those that it lacks come last.
func (j *jsonWriter) message(b []byte, s *pb.Shape) {
	j.open('{')
	for _, f := range s.Fields() {
		if s == kuduwire.ShapeWriteRequest && f.Num == rowOperationsField && j.rows(b) {
			continue
		}
		j.field(b, f)
	}
	unknown := false
	m := pb.New(b)
	for m.Next() {
		if s.Find(m.Num) != nil {
			continue
		}
		if !unknown {
			j.key("unknown_fields").open('[')
			unknown = true
		}
		j.element().open('{')
		j.key("field").number(uint64(m.Num))
		j.key("value").value(&m, &pb.Field{Form: pb.FormBytes})
		j.close('}')
	}
	if unknown {
		j.close(']')
	}
	if m.Err != nil {
		j.key("fault").text(faultText(m.Err))
	}
	j.close('}')
}

// field writes the values that a field has in message b, or the last one of a field that is not repeated.
func (j *jsonWriter) field(b []byte, f *pb.Field) {
	list, found := f.List != pb.ListPlain, false
	var last pb.Message
	m := pb.New(b)
	for m.Next() {
		if m.Num != f.Num {
			continue
		}
		if list {
			if !found {
				j.key(f.Name).open('[')
			}
			j.elements(&m, f)
		}
		last, found = m, true
	}
	switch {
	case !found:
	case list:
		j.close(']')
	default:
		j.key(f.Name).value(&last, f)
	}
}

// elements writes the values that a repeated field has in one place: several numbers may be packed.
func (j *jsonWriter) elements(m *pb.Message, f *pb.Field) {
	if m.Type != protowire.BytesType || f.Form > pb.FormBool {
		j.element().value(m, f)
		return
	}
	for b := m.Bytes(); len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			j.element().text("! not numbers")
			return
		}
		j.element().varint(v, f)
		b = b[n:]
	}
}

func (j *jsonWriter) value(m *pb.Message, f *pb.Field) {
	if m.Type != protowire.BytesType {
		j.varint(m.Val, f)
		return
	}
	b := m.Bytes()
	switch {
	case f.Form == pb.FormMessage:
		j.message(b, f.Parts)
	case f.Form == pb.FormSecret:
		j.text(strconv.Itoa(len(b)) + " bytes, not shown")
	case f.Form == pb.FormText && utf8.Valid(b):
		j.text(string(b))
	case f.Form == pb.FormText:
		j.open('{')
		j.key("base64").text(base64.StdEncoding.EncodeToString(b))
		j.close('}')
	default:
		j.text(hex.EncodeToString(b))
	}
}

func (j *jsonWriter) varint(v uint64, f *pb.Field) {
	if f.Word != nil {
		if word := f.Word(v); word != "" {
			j.text(word)
			return
		}
	}
	switch f.Form {
	case pb.FormInt:
		j.put(strconv.FormatInt(int64(v), 10))
	case pb.FormBool:
		j.bool(v != 0)
	default:
		j.number(v)
	}
}
