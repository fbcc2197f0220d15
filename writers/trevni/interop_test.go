//go:build interop

package trevni_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// TestJudged has Java's reader look at what the writer made: the stored columns with everything that the header says, and
// the records. What it must see comes from the Arrow data, not from a reader of ours.
func TestJudged(t *testing.T) {
	jar := os.Getenv("ARROWIO_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_JUDGE_JAR is not set: make interop does")
	}
	mem := memory.NewGoAllocator()
	var samples []*sample
	for seed := range int64(200) {
		s := newRandomizer(rand.NewSource(1000+seed), mem).sample(2000)
		s.name = fmt.Sprintf("random-%d", seed)
		samples = append(samples, s)
	}
	samples = append(samples, largeSamples(mem)...)
	j := judge{dir: t.TempDir(), of: map[string]*sample{}}
	for _, s := range samples {
		for _, w := range writeSample(t, s) {
			j.add(t, s, w)
			readBack(t, w, mem)
		}
		s.release()
	}
	j.run(t, jar)
}

// judge collects files and what Java must say of them.
type judge struct {
	dir  string
	list bytes.Buffer
	of   map[string]*sample
}

func (j *judge) add(t *testing.T, s *sample, w written) {
	file := filepath.Join(j.dir, s.name+"-"+w.name)
	j.of[file] = s
	put := func(name string, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(file, w.bytes)
	for mode, lines := range map[string][]string{"raw": w.raw, "avro": w.avro} {
		if lines != nil {
			put(file+"."+mode, []byte(strings.Join(lines, "\n")+"\n"))
			fmt.Fprintf(&j.list, "%s\t%s\t%s\n", file, file+"."+mode, mode)
		}
	}
}

// run asks one JVM about all of them.
func (j *judge) run(t *testing.T, jar string) {
	want := bytes.Count(j.list.Bytes(), []byte("\n"))
	cmd := exec.Command("java", "-jar", jar, "judge", "-")
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
	t.Logf("%d files and views judged", answers)
}
