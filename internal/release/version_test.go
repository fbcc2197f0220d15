package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLastRelease(t *testing.T) {
	tags := []string{"v0.9.0", "v0.10.0", "v0.10.1-rc.1", "v1.0.0", "v0.2.0", "vague"}
	for version, want := range map[string]string{"v0.9.0": "v0.2.0", "v0.9.1": "v0.9.0", "v0.10.1": "v0.10.1-rc.1", "v0.1.0": "", "v2.0.0": "v1.0.0"} {
		if got := lastRelease(tags, version); got != want {
			t.Errorf("before %s: %s, want %s", version, got, want)
		}
	}
}

// TestFits has the rules of semver.org: 4 about v0, 6 about patches, 7 about minor and 8 about major versions.
func TestFits(t *testing.T) {
	some := []string{"arrowio: func F()"}
	for _, c := range []struct {
		last, version string
		gone, added   []string
		want          string
	}{
		{"v0.9.0", "v0.9.1", nil, nil, ""},
		{"v0.9.0", "v0.9.1", nil, some, "as a patch"},
		{"v0.9.0", "v0.9.1", some, nil, "callers break"},
		{"v0.9.0", "v0.10.0", some, some, ""},
		{"v0.9.0", "v1.0.0", some, nil, ""},
		{"v1.2.3", "v1.2.4", nil, some, "as a patch"},
		{"v1.2.3", "v1.3.0", nil, some, ""},
		{"v1.2.3", "v1.3.0", some, nil, "callers break"},
		{"v1.2.3", "v2.0.0", some, nil, ""},
	} {
		err := fits(c.last, c.version, c.gone, c.added)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s after %s: %v, want %q", c.version, c.last, err, c.want)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, apiFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", "a change")
	}
	check := func(version, want string) {
		t.Helper()
		r := &release{ctx: t.Context(), source: dir, tag: version}
		if err := r.checkVersion(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", version, err, want)
		}
	}
	git("init", "-q")
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("a: func F()\n")
	check("v1.0.0", "")
	git("tag", "v1.0.0")
	check("v1.0.1", "")
	write("a: func F()\na: func G()\n")
	check("v1.0.1", "new:\na: func G()")
	check("v1.1.0", "")
	write("a: func G()\n")
	check("v1.1.0", "changed:\na: func F()")
	check("v2.0.0", "")
}
