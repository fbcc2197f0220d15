//go:build interop

package orc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// samples is how many random files are judged: a number of each run, and ARROWIO_ORC_SAMPLES where more are wanted.
func samples(t *testing.T) int {
	n := 40
	if s := os.Getenv("ARROWIO_ORC_SAMPLES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestJudged has Java's reader look at what the writer made: the rows, seeks to any row, search arguments. What it must
// see comes from the Arrow data, not from a reader of ours.
func TestJudged(t *testing.T) {
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: make interop does")
	}
	j := judge{dir: t.TempDir(), of: map[string]*sample{}}
	if keep := os.Getenv("KEEP"); keep != "" {
		j.dir = keep
	}
	for seed := range samples(t) {
		s := newRandomizer(int64(seed), memory.NewGoAllocator()).sample(2500)
		s.name = fmt.Sprintf("random-%04d", seed)
		for _, w := range writeSample(t, s) {
			j.add(t, s, w)
		}
		s.release()
	}
	j.run(t, jar)
}

// judge collects files and the rows that Java must see in them.
type judge struct {
	dir  string
	list bytes.Buffer
	of   map[string]*sample
}

func (j *judge) add(t *testing.T, s *sample, w written) {
	t.Helper()
	file := filepath.Join(j.dir, s.name+"-"+w.name)
	j.of[file] = s
	text := strings.Join(w.rows, "\n")
	if len(w.rows) > 0 {
		text += "\n"
	}
	for name, b := range map[string][]byte{file: w.bytes, file + ".jsonl": []byte(text)} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintf(&j.list, "%s\t%s\n", file, file+".jsonl")
}

// run asks one JVM about all of them.
func (j *judge) run(t *testing.T, jar string) {
	t.Helper()
	want := bytes.Count(j.list.Bytes(), []byte("\n"))
	cmd := exec.Command("java", "-Xmx1g", "-jar", jar, "judge", "-")
	cmd.Stdin, cmd.Stderr = &j.list, os.Stderr
	out, _ := cmd.Output() // what it says counts; it fails where a file differs
	answers := 0
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); answers++ {
		verdict, file, _ := strings.Cut(s.Text(), "\t")
		if verdict != "equal" {
			name, _, _ := strings.Cut(file, "\t")
			t.Errorf("%s: %s\n%s\n%+v", verdict, file, j.of[name].schema, j.of[name].options)
		}
	}
	if answers != want {
		t.Fatalf("%d answers to %d questions", answers, want)
	}
	t.Logf("%d files judged", answers)
}
