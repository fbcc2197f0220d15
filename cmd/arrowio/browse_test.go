package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/internal/celltext"
)

// What browse copies as a command line means the same to a shell, whatever the names are.
func TestCommandFlags(t *testing.T) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.String("from", "", "")
	fs.StringArray("set", nil, "")
	fs.Bool("mmap", false, "")
	fs.Bool("mouse", false, "")
	fs.String("where", "", "")
	fs.String("exclude", "", "")
	args := []string{"--from=csv", "--set=a b", "--set=it's", "--mmap", "--mouse", "--where=x > 1", "--exclude=a"}
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	c := commandFlags(fs, []string{"-", "-x  y.orc", "s3://b/k.orc", "$(rm).orc"})
	if got, want := strings.Join(c.flags, " "), `--from=csv --mmap --set='a b' --set='it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(c.exclude, " "), "--exclude=a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(c.inputs, " "), `- './-x  y.orc' s3://b/k.orc '$(rm).orc'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A name that a terminal might obey is copied as text that it does not, and bash takes for the name.
func TestShellWordEscapes(t *testing.T) {
	for _, name := range []string{"a\x1b[201~\nrm x", "it's\t\\n", "x\u202ey\u200b", "\xff\xfe é", "\ufffd\r"} {
		word := shellWord(name)
		if celltext.Printable(word) != word || !strings.HasPrefix(word, "$'") {
			t.Errorf("%q is copied as %q", name, word)
		}
		bash, err := exec.LookPath("bash")
		if err != nil {
			continue
		}
		got, err := exec.CommandContext(t.Context(), bash, "-c", "printf %s "+word).Output()
		if err != nil || string(got) != name {
			t.Errorf("bash takes %s for %q, not %q: %v", word, got, name, err)
		}
	}
}
