package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
)

// The page of a profile says of each column what the table and the JSON say.
func TestProfilePage(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/pruning.orc"
	dir := t.TempDir()
	out := filepath.Join(dir, "profile.html")
	if o := do(t, "profile", "--html", out, "--where", "id__mono >= 0", "--rows", "0:", in, in); o.code != 0 || o.out != "" {
		t.Fatalf("%+v", o)
	}
	text := read(t, out)
	for _, want := range []string{"<dd>12,000</dd>", "<dt>Files</dt><dd>2</dd>", "<code>id__mono &gt;= 0</code>", "<dt>Only</dt><dd>rows 0:</dd>", "mostly null: tags__dict__r99"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for i, c := range profileOf(t, in, in).Columns {
		_, card, found := strings.Cut(text, `<li id="c`+strconv.Itoa(i)+`">`)
		card, _, _ = strings.Cut(card, "</li>")
		if !found || !strings.HasPrefix(card, "<h3>"+c.Path+" ") {
			t.Fatalf("no %s", c.Path)
		}
		if c.Distinct != nil && !strings.Contains(card, "<dt>different<dd>"+humanize.Comma(c.Distinct.Count)+"<") {
			t.Errorf("%s: %d different values, not %s", c.Path, c.Distinct.Count, card)
		}
		if *c.Nulls > 0 && !strings.Contains(card, " ("+humanize.Comma(*c.Nulls)+")") {
			t.Errorf("%s: %d nulls, not %s", c.Path, *c.Nulls, card)
		}
		if c.Min != nil && c.Lengths == nil && !strings.HasPrefix(c.Type, "timestamp") && !strings.Contains(card, "<dt>least<dd>"+*c.Min+"<") {
			t.Errorf("%s: from %s, not %s", c.Path, *c.Min, card)
		}
		if bars := regexp.MustCompile(`<rect x=`).FindAllString(card, -1); (c.Histogram != nil) != (len(bars) > 0) {
			t.Errorf("%s: %d bars of %+v", c.Path, len(bars), c.Histogram)
		}
	}
	if o := do(t, "profile", "--html", "-", in); o.code != 0 || !strings.HasPrefix(o.out, "<!doctype html>") || strings.Contains(o.out, "<script") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "profile", "--html", out, in), 2, "--force")
	ok(t, "profile", "--html", out, "--force", "--limit", "0", in)
	if !strings.Contains(read(t, out), "Made by arrowio") {
		t.Error("no page of no rows")
	}
	fails(t, do(t, "profile", "--html", out, "--json", in), 2, "exclude each other")
	fails(t, do(t, "profile", "--force", in), 2, "--html")
	fails(t, do(t, "profile", "--html", "", in), 2, "empty")
}

// A page is there only when it is whole.
func TestNoProfilePageOfAFault(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.orc")
	whole := read(t, "../../testdata/orc/java-2.3.1/pruning.orc")
	if err := os.WriteFile(bad, []byte(whole[:len(whole)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "profile", "--html", filepath.Join(dir, "out.html"), bad); o.code == 0 {
		t.Errorf("%+v", o)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
