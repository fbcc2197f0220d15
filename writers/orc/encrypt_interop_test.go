//go:build interop

package orc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// TestJudgedSecrets has Java's reader look at files with encrypted columns, with keys and without: the rows, seeks to any
// row, search arguments, statistics. What it must see without keys comes from the rows.
func TestJudgedSecrets(t *testing.T) {
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: make interop does")
	}
	dir := t.TempDir()
	if keep := os.Getenv("KEEP"); keep != "" {
		dir = keep
	}
	var rows, more bytes.Buffer
	of := map[string]string{}
	for seed := range samples(t) {
		r := newRandomizer(int64(70_000+seed), memory.NewGoAllocator())
		s := r.sample(1500)
		s.name = fmt.Sprintf("secret-%04d", seed)
		if x := encryptSample(t, r, s); x != nil {
			for _, w := range writeSample(t, s) {
				file := filepath.Join(dir, s.name+"-"+w.name)
				of[file] = fmt.Sprintf("%s\n%+v", s.schema, s.options)
				if err := os.WriteFile(file, w.bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				for name, rows := range map[string][]string{".jsonl": w.rows, ".masked.jsonl": x.masked(t, w.rows)} {
					text := strings.Join(rows, "\n")
					if len(rows) > 0 {
						text += "\n"
					}
					if err := os.WriteFile(file+name, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				fmt.Fprintf(&rows, "%[1]s\t%[1]s.masked.jsonl\n", file)
				// Java does not read indexes that are encrypted and not compressed, its own neither.
				withKeys := &more
				if s.options.Compression == "none" {
					withKeys = &rows
				}
				fmt.Fprintf(withKeys, "%[1]s\t%[1]s.jsonl\tkeys\n", file)
			}
		}
		s.release()
	}
	ask(t, jar, "judge", &rows, of)
	if answers := ask(t, jar, "verify", &more, of); !regexp.MustCompile(`pruning=[1-9]`).MatchString(answers) {
		t.Error("no search argument left anything out")
	}
}

// ask has one JVM answer questions, all of which must be equal.
func ask(t *testing.T, jar, command string, list *bytes.Buffer, of map[string]string) string {
	t.Helper()
	want := bytes.Count(list.Bytes(), []byte("\n"))
	cmd := exec.Command("java", "-Xmx1g", "-jar", jar, command, "-")
	cmd.Stdin, cmd.Stderr = list, os.Stderr
	out, _ := cmd.Output() // what it says counts; it fails where a file differs
	answers := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); answers++ {
		if part := strings.SplitN(lines.Text(), "\t", 3); part[0] != "equal" {
			t.Errorf("%s\n%s", lines.Text(), of[part[1]])
		}
	}
	if answers != want {
		t.Fatalf("%d answers to %d questions", answers, want)
	}
	t.Logf("%s: %d questions", command, answers)
	return string(out)
}
