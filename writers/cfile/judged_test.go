//go:build interop

package cfile_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// judge collects CFiles and what Kudu must print of them.
type judge struct {
	dir   string
	files []judged
}

// judged is a file to be judged: by the lines that its values must be, or by what Kudu prints of another one.
type judged struct {
	path, about string
	want        []string
	facts       string // of the footer: those that are the same for the same settings; "" = any
	like        string // path of the other one; "" = want and facts count
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	if os.Getenv("ARROWIO_KUDU") == "" {
		t.Fatal("ARROWIO_KUDU is not set: make interop does")
	}
	return &judge{dir: t.TempDir()}
}

// add takes a file that is there already.
func (j *judge) add(f judged) { j.files = append(j.files, f) }

// addBytes takes one that is not.
func (j *judge) addBytes(t *testing.T, about string, b []byte, want []string) {
	t.Helper()
	path := filepath.Join(j.dir, fmt.Sprintf("%05d.cfile", len(j.files)))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	j.add(judged{path: path, about: about, want: want})
}

// run has Kudu print all of them, and compares.
func (j *judge) run(t *testing.T) {
	t.Helper()
	start := time.Now()
	texts := map[string]string{}
	var list bytes.Buffer
	for i, f := range j.files {
		for k, path := range []string{f.path, f.like} {
			if _, ok := texts[path]; !ok && path != "" {
				texts[path] = filepath.Join(j.dir, fmt.Sprintf("%05d-%d.txt", i, k))
				fmt.Fprintf(&list, "%s\t%s\n", path, texts[path])
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv("ARROWIO_KUDU"), "dumps")
	cmd.Stdin, cmd.Stderr = &list, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	refused, answers := map[string]string{}, 0
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); answers++ {
		if p := strings.SplitN(s.Text(), "\t", 3); p[0] != "ok" {
			refused[p[1]] = p[len(p)-1]
		}
	}
	if answers != len(texts) {
		t.Fatalf("%d answers to %d questions", answers, len(texts))
	}
	rows := 0
	for _, f := range j.files {
		// What has no rows has an index without entries, of which Kudu prints the footer and then gives up.
		if why, ok := refused[f.path]; ok && !(len(f.want) == 0 && f.like == "" && why == "Not found: Invalid index") {
			t.Errorf("%s: Kudu refuses it: %s", f.about, why)
			continue
		}
		got, facts, err := printed(texts[f.path])
		if err != nil {
			t.Errorf("%s: %v", f.about, err)
			continue
		}
		if f.like != "" {
			if f.want, f.facts, err = printed(texts[f.like]); err != nil {
				t.Fatalf("%s, the original: %v", f.about, err)
			}
		}
		if f.facts != "" && facts != f.facts {
			t.Errorf("%s: the footer says %q, not %q", f.about, facts, f.facts)
		}
		if d := difference(got, f.want); d != "" {
			t.Errorf("%s: %s", f.about, d)
		}
		rows += len(got)
	}
	t.Logf("%d files judged, %d rows, in %.1f s", len(j.files), rows, time.Since(start).Seconds())
}

var (
	footerValues = regexp.MustCompile(`(?m)^num_values: (\d+)$`)
	footerFacts  = regexp.MustCompile(`(?m)^(?:data_type|encoding|compression|is_type_nullable): (\w+)$`)
)

// printed returns the values that Kudu printed, and type, encoding, codec and whether there may be nulls. Where there are
// not as many lines as the footer says it is an error.
func printed(path string) (lines []string, facts string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	head, values, ok := strings.Cut(strings.TrimPrefix(string(b), "Header:\n\n"), "\n\n")
	m := footerValues.FindStringSubmatch(head)
	if !ok || m == nil {
		return nil, "", fmt.Errorf("no footer in %.200s", b)
	}
	var words []string
	for _, f := range footerFacts.FindAllStringSubmatch(head, -1) {
		words = append(words, f[1])
	}
	if values != "" {
		lines = strings.Split(strings.TrimSuffix(values, "\n"), "\n")
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n != len(lines) {
		return nil, "", fmt.Errorf("the footer counts %s values, and %d were printed", m[1], len(lines))
	}
	return lines, strings.Join(words, " "), nil
}

func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("row %d: %.200s, want %.200s", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	return ""
}
