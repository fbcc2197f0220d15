package errs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	inner := errors.New("width 61 is not legal")
	for want, e := range map[string]*Error{
		"width 61 is not legal":      Errorf(ErrCorrupt, "%w", inner),
		"unsupported":                {Kind: ErrUnsupported, Split: -1, Off: -1},
		"orc: width 61 is not legal": {Kind: ErrCorrupt, Format: "orc", Split: -1, Off: -1, Err: inner},
		"orc: split 0: column a.b: DATA at 4182: width 61 is not legal": {Format: "orc", Op: "DATA", Column: "a.b", Off: 4182, Err: inner},
		"header: width 61 is not legal":                                 {Op: "header", Split: -1, Off: -1, Err: inner},
		"at 0: width 61 is not legal":                                   {Split: -1, Err: inner},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestErrorKinds(t *testing.T) {
	err := fmt.Errorf("file.trv: %w", Errorf(ErrCorrupt, "footer: %w", io.ErrUnexpectedEOF))
	if !errors.Is(err, ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrLimit) {
		t.Errorf("%v is of the wrong kind", err)
	}
	if !errors.Is(&Error{Kind: ErrLimit}, ErrLimit) {
		t.Error("an error without a cause has no kind")
	}
	seen := map[string]bool{}
	for k := ErrCorrupt; k <= ErrInternal; k++ {
		if n := k.Error(); n == "" || n == "unknown" || seen[n] {
			t.Errorf("kind %d is called %q", k, n)
		} else {
			seen[n] = true
		}
	}
	if Kind(200).Error() != "unknown" {
		t.Error("a kind that does not exist has a name")
	}
}

func TestLocate(t *testing.T) {
	if Locate(nil, At{Format: "orc"}) != nil {
		t.Error("nothing became an error")
	}
	e := Errorf(ErrCorrupt, "bad")
	got := Locate(Locate(e, At{Op: "block", Column: "a", Off: N(7)}), At{Format: "trevni", Op: "file", Column: "b", Split: N(3), Off: N(9)})
	if want := "trevni: split 3: column a: block at 7: bad"; got.Error() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if e.Error() != "bad" {
		t.Errorf("Locate changed its argument to %v", e)
	}
	plain := Locate(io.ErrUnexpectedEOF, At{Format: "trevni", Off: N(12)})
	if want := "trevni: at 12: unexpected EOF"; plain.Error() != want || !errors.Is(plain, io.ErrUnexpectedEOF) {
		t.Errorf("got  %v\nwant %s", plain, want)
	}
	var k Kind
	if errors.As(plain, &k) {
		t.Errorf("an I/O error became %v", k)
	}
}

func TestFileOfErrors(t *testing.T) {
	data := Locate(fmt.Errorf("reading: %w", Locate(Errorf(ErrCorrupt, "bad"), At{Split: N(0)})), At{File: "a.orc", Format: "orc"})
	outer := Locate(data, At{File: "directory"})
	if want := "a.orc: orc: reading: split 0: bad"; outer.Error() != want {
		t.Errorf("got  %s\nwant %s", outer, want)
	}
	if at, text := Where(outer); at.File != "a.orc" || at.Split != N(0) || at.Off != 0 || text != "orc: reading: split 0: bad" {
		t.Errorf("%+v, %q", at, text)
	}
	other := Locate(Locate(io.ErrUnexpectedEOF, At{Off: N(3)}), At{File: "b"})
	if want := "b: at 3: unexpected EOF"; other.Error() != want || !errors.Is(other, io.ErrUnexpectedEOF) {
		t.Errorf("got  %s\nwant %s", other, want)
	}
	if at, text := Where(other); at.File != "b" || at.Off != N(3) || text != "at 3: unexpected EOF" {
		t.Errorf("%+v, %q", at, text)
	}
	if at, text := Where(io.EOF); at != (At{}) || text != "EOF" {
		t.Errorf("%+v, %q", at, text)
	}
	if N(-1) != 0 || N(int64(-7)) != 0 || N(0) == 0 {
		t.Error("a missing number is not the zero value")
	}
}

// Errors that were joined are told on one line: the place of the first, and each cause once.
func TestWhereOfJoined(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "o.orc", Err: errors.New("no space left on device")}
	joined := errors.Join(Locate(full, At{File: "o.orc"}), Locate(full, At{File: "o.orc"}), Locate(errors.New("close failed"), At{File: "p.orc"}))
	for _, err := range []error{joined, Locate(joined, At{Format: "orc"}), errors.Join(joined, full)} {
		at, text := Where(err)
		if at.File != "o.orc" || strings.Contains(text, "\n") || strings.Count(text, "no space") != 1 || !strings.Contains(text, "; p.orc: ") {
			t.Errorf("%+v: %q", at, text)
		}
	}
}
