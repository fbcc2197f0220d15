package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutputInsideInput(t *testing.T) {
	root := t.TempDir()
	in, other := filepath.Join(root, "in"), filepath.Join(root, "other")
	for _, dir := range []string{in, other, filepath.Join(in, "deep")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	peopleFile(t, in, "a.arrow", 0, 10)
	peopleFile(t, filepath.Join(in, "deep"), "b.arrow", 10, 20)
	link := filepath.Join(root, "link")
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	holder, away := filepath.Join(root, "holder"), filepath.Join(root, "away")
	for _, dir := range []string{holder, away} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(away, filepath.Join(holder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(holder, filepath.Join(away, "round")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for _, c := range []struct{ in, out string }{
		{in, filepath.Join(in, "out.arrow")},
		{in, filepath.Join(in, "deep", "out.arrow")},
		{in, filepath.Join(in, "new", "out.arrow")},
		{in, in},
		{link, filepath.Join(in, "out.arrow")},
		{holder, filepath.Join(away, "out.arrow")},
		{in, filepath.Join(link, "out.arrow")},
		{in, filepath.Join(link, "deep", "out.csv")},
		{"in", "in/../in/out.arrow"},
		{".", "out.arrow"},
		{filepath.Join(in, "*.arrow"), filepath.Join(in, "out.arrow")},
		{filepath.Join(in, "*.arrow"), filepath.Join(link, "out.arrow")},
		{filepath.Join(root, "*"), filepath.Join(in, "out.arrow")},
		{"file://" + filepath.ToSlash(in), filepath.Join(in, "out.arrow")},
	} {
		for _, flag := range []string{"--force", "--dry-run"} {
			how := "OUTPUT " + c.out + " lies in INPUT " + c.in
			if c.in == c.out {
				how = "OUTPUT " + c.out + " is INPUT"
			}
			fails(t, do(t, "convert", "--to", "ipc", flag, c.in, c.out), 2, how, "outside")
		}
	}
	if o := do(t, "convert", "nothing.arrow", "nothing.arrow"); o.code != 3 || o.err != "arrowio: nothing.arrow: no such file or directory\n" {
		t.Errorf("%+v", o)
	}
	only(t, in, "a.arrow", "deep")
	for _, c := range []struct{ in, out string }{
		{in, filepath.Join(root, "out.arrow")},
		{in, filepath.Join(root, "in.arrow")},
		{in, filepath.Join(other, "out.arrow")},
		{filepath.Join(in, "*.arrow"), filepath.Join(in, "out.csv")},
		{filepath.Join(in, "a.arrow"), filepath.Join(in, "copy.arrow")},
	} {
		ok(t, "convert", c.in, c.out)
	}
}

func TestOverlapOfURLs(t *testing.T) {
	for _, c := range []struct {
		in, out string
		want    bool
	}{
		{"s3://lake/events", "s3://lake/events/out.orc", true},
		{"s3://lake/events/", "s3://lake/events/2024/out.orc", true},
		{"s3://lake", "s3://lake/out.orc", true},
		{"s3://lake/events/*.orc", "s3://lake/events/out.orc", true},
		{"s3://lake/events/*.orc", "s3://lake/events/out.csv", false},
		{"s3://lake/events", "s3://lake/events.orc", false},
		{"s3://lake/events", "s3://pond/events/out.orc", false},
		{"s3://lake/a.orc", "s3://lake/a.orc", false}, // a file that is replaced
		{"s3://lake/events", "events/out.orc", false},
		{"hdfs://node:8020/warehouse", "hdfs://NODE:8020/warehouse/out.orc", true},
		{"hdfs://node:8020/warehouse", "hdfs://node:8020/other/out.orc", false},
		{"hdfs://node:8020/warehouse", "s3://node:8020/warehouse/out.orc", false},
	} {
		if got := overlaps(c.in, c.out); got != c.want {
			t.Errorf("%s in %s: %v", c.out, c.in, got)
		}
	}
}
