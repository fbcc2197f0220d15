package pb

import "google.golang.org/protobuf/encoding/protowire"

// Shape says what the fields of a message are called and how to show them.
type Shape struct{ fields []*Field }

// Field is a field of a message, for showing it.
type Field struct {
	Num   protowire.Number
	Name  string
	Form  Form
	Parts *Shape                // of a message
	Word  func(v uint64) string // what a number stands for, "" = the number; may be nil
	List  List
	Most  int // how many of a repeated field to show; 0 = all
}

// Form is how the bytes of a field are read.
type Form uint8

// Forms.
const (
	FormUint      Form = iota // varint
	FormInt                   // varint, two's complement
	FormSint                  // varint, zig-zag
	FormBool                  // varint
	FormFixed                 // 64 bits
	FormDouble                // 64 bits
	FormText                  // bytes that should be UTF-8
	FormBytes                 // bytes
	FormBits                  // bytes or 64 bits each, of which those that are set are counted
	FormPositions             // varints: positions of a row group
	FormMessage
	FormSecret // bytes that are not shown
)

// List says how the elements of a repeated field are named.
type List uint8

// Lists.
const (
	ListPlain    List = iota // by the field's name
	ListNumbered             // by their number, too
	ListColumns              // by their number and the column of the file that has it
)

// Fields returns the fields that are known, which the caller must not change.
func (s *Shape) Fields() []*Field { return s.fields }

// Find returns a field by its number, nil = not known.
func (s *Shape) Find(num protowire.Number) *Field {
	for _, f := range s.fields {
		if f.Num == num {
			return f
		}
	}
	return nil
}

// Has reports whether a field of the message has a form.
func (s *Shape) Has(form Form) bool {
	for _, f := range s.fields {
		if f.Form == form {
			return true
		}
	}
	return false
}
