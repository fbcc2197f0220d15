package arch

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// outputs are in the paths of what builds make beside what is committed.
var outputs = []string{"/target/", "/__pycache__/", ".egg-info/", "/.cache/", "/bin/", "/python/build/", "/python/arrowio/libarrowio.", "/python/LICENSES-OF-MODULES.txt"}

// A file that git ignores is on the machine of whoever wrote it and nowhere else: tests that read it fail at all others.
func TestNothingNeededIsIgnored(t *testing.T) {
	const root = "../.."
	if _, err := os.ReadFile(path.Join(root, ".gitignore")); err != nil { // go test runs the test again when it changes
		t.Fatal(err)
	}
	git := func(stdin string, args ...string) []string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", root, "-c", "core.quotePath=false"}, args...)...)
		c.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil && stderr.Len() > 0 { // check-ignore exits with 1 if it finds nothing
			t.Fatalf("git %s: %v: %s", args[0], err, &stderr)
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	committed := git("", "ls-files", "-z", "--cached")
	if len(committed) < 1000 {
		t.Fatalf("git knows of %d files only", len(committed))
	}

	// What is committed would be committed again, were it made anew.
	for _, name := range git(strings.Join(committed, "\x00"), "check-ignore", "--no-index", "-z", "--stdin") {
		t.Errorf("%s is committed, and .gitignore has a pattern for it", name)
	}

	// Wherever files that are no code lie, any ending is taken, those of programs that Go builds and of its profiles too.
	endings := map[string]bool{".test": true, ".prof": true, ".part": true}
	folders := map[string]bool{}
	for _, name := range committed {
		endings[path.Ext(name)] = true
		if data(name) {
			folders[path.Dir(name)] = true
		}
	}
	var probes []string
	for folder := range folders {
		for ending := range endings {
			probes = append(probes, path.Join(folder, "x"+ending))
		}
		if folder != "python/arrowio" { // where the library lies in wheels
			probes = append(probes, path.Join(folder, "libarrowio.x"))
		}
	}
	for _, name := range git(strings.Join(probes, "\x00"), "check-ignore", "--no-index", "-z", "--stdin") {
		t.Errorf("a file %s would not be committed", name)
	}

	// What is ignored here and now is an output, where data lies.
	for _, name := range git("", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory") {
		if data(name) && !slices.ContainsFunc(outputs, func(o string) bool { return strings.Contains("/"+name, o) }) {
			t.Errorf("%s is ignored by git: only builds make what is", name)
		}
	}
}

// data tells whether a file lies where files that are no code of Go do.
func data(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{".ci", "docs", "examples", "python", "testdata"}, top) || strings.Contains("/"+name, "/testdata/")
}
