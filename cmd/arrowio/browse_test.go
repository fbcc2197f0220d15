package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
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
