package flight

import (
	"fmt"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Errors tell clients what they can set themselves as a part of their command, and all else as the server's.
func TestOptionsOfClients(t *testing.T) {
	for want, o := range map[string]errs.Option{
		`"options": {"orc-strings": "binary"}`: errs.Opt("orc-strings", "binary"),
		`"orc-strings" in "options"`:           errs.Opt("orc-strings", ""),
		"--orc-keys of the server":             errs.Opt("orc-keys", ""),
		"--from=orc of the server":             errs.Opt("from", "orc"),
		`"row_group_bytes"`:                    errs.Opt("row-group-bytes", ""),
		`"columns"`:                            errs.Opt("exclude", "a"),
	} {
		if got := spelled(o); got != want {
			t.Errorf("%v is %s, want %s", o, got, want)
		}
	}
	s := &Server{}
	err := s.status(&Call{ID: "1"}, errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8: %w shows its bytes", errs.Opt("orc-strings", "binary")))
	if want := `rpc error: code = DataLoss desc = a string is not UTF-8: "options": {"orc-strings": "binary"} shows its bytes`; fmt.Sprint(err) != want {
		t.Errorf("%v", err)
	}
}
