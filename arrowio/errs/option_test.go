package errs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

func TestOptions(t *testing.T) {
	inner := Errorf(ErrCorrupt, "not UTF-8: %w shows its bytes", Opt("orc-strings", "binary"))
	err := Locate(fmt.Errorf("reading: %w; name the format with %w, or with %w", Locate(inner, At{Column: "a"}), Opt("from", ""), Opt("from", "orc")), At{File: "--from.orc"})
	if want := "--from.orc: reading: column a: not UTF-8: --orc-strings=binary shows its bytes; name the format with --from, or with --from=orc"; err.Error() != want {
		t.Errorf("%v", err)
	}
	options := OptionsOf(errors.Join(io.EOF, err))
	if want := []Option{{"orc-strings", "binary"}, {"from", ""}, {"from", "orc"}}; !slices.Equal(options, want) {
		t.Errorf("%v", options)
	}
	_, text := Where(err)
	got := Respell(text, options, func(o Option) string { return "[" + o.Name + " " + o.Value + "]" })
	if want := "reading: column a: not UTF-8: [orc-strings binary] shows its bytes; name the format with [from ], or with [from orc]"; got != want {
		t.Error(got)
	}
	if OptionsOf(nil) != nil || OptionsOf(io.EOF) != nil || Respell("--from", nil, nil) != "--from" {
		t.Error("options of nothing")
	}
	if !errors.Is(err, ErrCorrupt) {
		t.Error("the kind is gone")
	}
}
