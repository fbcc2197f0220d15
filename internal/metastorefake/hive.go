package metastorefake

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/judge"
)

// Hive is a metastore of Hive's own, which the Java judge runs.
type Hive struct {
	URL string // of its tables, up to the name: hive://HOST:PORT/DATABASE.

	in   io.Writer
	out  *bufio.Reader
	said strings.Builder
}

// StartHive starts the metastore in a directory, with so many ACID tables; see Metastore.java. It ends with the test.
func StartHive(t testing.TB, dir string, histories int) *Hive {
	t.Helper()
	jar := os.Getenv("ARROWIO_HIVE_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_HIVE_JUDGE_JAR is not set: run make interop")
	}
	h := &Hive{}
	java := judge.Java(t.Context(), "1g", jar, "metastore", dir, strconv.Itoa(histories))
	in, err := java.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := java.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in, h.out = in, bufio.NewReader(out)
	java.Stderr = &h.said
	if err := java.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()  // it may be gone
		_ = java.Wait() // it was told to end
	})
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, h.said.String())
	}
	h.URL = "hive://localhost:" + strings.TrimSpace(line) + "/d."
	return h
}

// Ask asks a question, such as "rows TABLE", and returns the lines of the answer.
func (h *Hive) Ask(t testing.TB, question string) (lines []string) {
	t.Helper()
	if _, err := fmt.Fprintln(h.in, question); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := h.out.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		if line == ".\n" {
			return lines
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}
