package fieldname

import (
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Fit returns name with each byte that is not part of a UTF-8 character written as \xNN, in hex digits. A name that is UTF-8 is
// returned as it is.
func Fit(name string) string { return fit(name, `\x`) }

// FitJSON returns a JSON text whose strings are as Fit returns them.
func FitJSON(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return []byte(fit(string(text), `\\x`))
}

func fit(s, escape string) string {
	if utf8.ValidString(s) {
		return s
	}
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(s)+16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			out = append(append(out, escape...), hex[s[0]>>4], hex[s[0]&15])
		} else {
			out = append(out, s[:n]...)
		}
		s = s[n:]
	}
	return string(out)
}

// most bounds how many names of one file are kept.
const most = 100

// Names remembers which names of a file are not UTF-8. The zero value is ready for use.
type Names struct {
	bad  []badName
	more int
}

type badName struct{ fitted, column string }

// Check remembers a field if its stored name is not UTF-8. path are the fitted names of the fields around it, and its own.
func (n *Names) Check(stored string, path ...string) {
	if !utf8.ValidString(stored) {
		n.Add(stored, schemadiff.Path(path...))
	}
}

// Add remembers a field whose stored name is not UTF-8. column is the dotted path of the field, made of fitted names.
func (n *Names) Add(stored, column string) {
	if len(n.bad) == most {
		n.more++
		return
	}
	n.bad = append(n.bad, badName{Fit(stored), column})
}

// Errors returns an error of the kind errs.ErrCorrupt for each name that is not UTF-8. Only the first 100 have one each; one more
// counts the others. at says where the names are.
func (n *Names) Errors(at errs.At) (out []error) {
	for _, b := range n.bad {
		at.Column = b.column
		err := errs.Errorf(errs.ErrCorrupt, `the name is not UTF-8, and is read as %.80s (\x and two hex digits stand for a byte)`, b.fitted)
		out = append(out, errs.Locate(err, at))
	}
	if n.more > 0 {
		at.Column = ""
		out = append(out, errs.Locate(errs.Errorf(errs.ErrCorrupt, "the names of %d more fields are not UTF-8", n.more), at))
	}
	return out
}
