package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of several inputs those that can be read are shown; each of the others is a line, and the first of them sets the exit code.
func TestInspectUnread(t *testing.T) {
	dir := t.TempDir()
	sound, missing, cut := csvFile(t), filepath.Join(dir, "none.orc"), filepath.Join(dir, "cut.orc")
	if err := os.WriteFile(cut, []byte("ORC, but nothing else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   []string
		code int
		bad  int
	}{
		{[]string{cut, missing, sound}, 1, 2},
		{[]string{missing, cut, sound}, 3, 2},
		{[]string{sound, missing}, 3, 1},
		{[]string{sound, cut}, 1, 1},
		{[]string{sound, sound}, 0, 0},
		{[]string{cut, missing}, 1, 2},
	} {
		page := filepath.Join(t.TempDir(), "x.html")
		for _, flags := range [][]string{nil, {"--json"}, {"--html", page}, {"--where", "id > 1"}} {
			o := do(t, append(append([]string{"inspect"}, flags...), c.in...)...)
			if o.code != c.code || strings.Count(o.err, "\n") != c.bad {
				t.Errorf("%q %q: %+v", flags, c.in, o)
			}
			for _, in := range c.in {
				if in != sound && strings.Count(o.err, in) != 1 {
					t.Errorf("%q %q: %s is not told once: %s", flags, c.in, in, o.err)
				}
			}
			want := len(c.in) - c.bad
			switch {
			case len(flags) == 0:
				if n := strings.Count(o.out, sound+": csv"); n != want {
					t.Errorf("%q: %d files shown, want %d", c.in, n, want)
				}
			case flags[0] == "--json":
				conforms(t, "inspect", o.out)
				var doc struct{ Files []struct{ File string } }
				if err := json.Unmarshal([]byte(o.out), &doc); err != nil || len(doc.Files) != want {
					t.Errorf("%q: %v: %s", c.in, err, o.out)
				}
			case flags[0] == "--html":
				if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "cannot be read") != (c.bad == 0) {
					t.Errorf("%q: %v", c.in, err)
				}
				if err := os.Remove(page); err != nil {
					t.Error(err)
				}
			}
		}
	}
	// A mistake in the command line ends it, and so does trouble with a single file.
	fails(t, do(t, "inspect", "--where", "nothere > 1", sound, sound), 2, "nothere")
	if o := do(t, "inspect", "--json", cut); o.code != 1 || o.out != "" {
		t.Errorf("%+v", o)
	}
}
