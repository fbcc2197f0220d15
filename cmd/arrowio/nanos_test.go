package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A column that one file has in nanoseconds, and another in times that nanoseconds cannot hold: nothing is cut off, no warning says
// that anything is, and both the error and the plan tell.
func TestFarTimesBesideNanoseconds(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, options ...string) string {
		in, out := filepath.Join(dir, name+".csv"), filepath.Join(dir, name+".arrow")
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		ok(t, append([]string{"convert", in, out}, options...)...)
		return out
	}
	near := file("near", "at\n2020-01-26 00:53:20.123456789\n")
	far := file("far", "at\n9999-01-01T00:00:00\n")
	seconds := file("seconds", "at\n0001-01-01T00:00:00\n", "--timestamp-unit=s") // microseconds can hold it, too
	int96, fine := int96File(t, 0), int96File(t, 7)
	out := filepath.Join(dir, "out.orc")
	const advice, refused = "does not fit timestamp[ns]; --timestamp-unit=us can hold it", "times before 1677 or after 2262, unless --timestamp-unit=us is given"
	for _, c := range []struct {
		files []string
		err   string
		plan  string
	}{
		{[]string{near, int96}, advice + " (other files have the column in nanoseconds", refused},
		{[]string{int96, near}, advice + " (other files have the column in nanoseconds", refused},
		{[]string{near, far}, advice + ", or leave the column out", refused + " (" + far + " has microseconds)"},
		{[]string{seconds, near}, advice + ", or leave the column out", refused + " (" + seconds + " has seconds)"},
	} {
		for _, args := range [][]string{{"cat"}, {"tail"}, {"scan"}, {"convert"}} {
			args = append(args, c.files...)
			if args[0] == "convert" {
				args = append(args, out)
			}
			if o := do(t, args...); o.code != 1 || !strings.Contains(o.err, c.err) || strings.Contains(o.err, "warning") {
				t.Errorf("%q: %+v", args, o)
			}
		}
		if o := do(t, append(append([]string{"convert", "--dry-run", "--json"}, c.files...), out)...); !strings.Contains(o.out, c.plan) || strings.Contains(o.err, "warning") {
			t.Errorf("%q: %+v", c.files, o)
		}
		if o := do(t, append([]string{"count", "--timestamp-unit=us", "--where", "at > '1600-01-01'"}, c.files...)...); o.code != 0 || o.err != "" {
			t.Errorf("%q: %+v", c.files, o)
		}
	}
	// The digits of INT96 are read as they are.
	if o := do(t, "count", "--where", "at = '2002-01-01 01:02:03.456789007'", "--rows", "0:3", near, fine); o.out != "1\n" || o.err != "" {
		t.Errorf("%+v", o)
	}
	// INT96 alone: the plan has what is said of the column where it is read in microseconds.
	o := do(t, "convert", "--dry-run", int96, out)
	if !strings.Contains(o.out, "where it is read in microseconds: comes back as timestamp[ns], or as timestamp[us]") || !strings.Contains(o.err, "only the rows tell") {
		t.Errorf("%+v", o)
	}
}
