package metastorefake

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/judge"
)

// Hive is a metastore of Hive's own, which the Java judge runs.
type Hive struct {
	URL string // of its tables, up to the name: hive://HOST:PORT/DATABASE.

	port string
	in   io.Writer
	out  *bufio.Reader
	said strings.Builder
	java *exec.Cmd
}

// StartHive starts the metastore of Hive 3.1 in a directory, with so many ACID tables; see Metastore.java. It ends with the test.
func StartHive(t testing.TB, dir string, histories int) *Hive {
	t.Helper()
	h := &Hive{}
	h.start(t, "ARROWIO_HIVE_JUDGE_JAR", "metastore", dir, strconv.Itoa(histories))
	return h
}

// StartHive4 is StartHive with the metastore of Hive 4.0. The tables are the same, and made by the same program of Hive 3.1.
func StartHive4(t testing.TB, dir string, histories int) *Hive {
	t.Helper()
	server, h := &Hive{}, &Hive{}
	server.start(t, "ARROWIO_HIVE4_JUDGE_JAR", dir)
	h.start(t, "ARROWIO_HIVE_JUDGE_JAR", "metastore", dir, strconv.Itoa(histories), server.port)
	return h
}

// start starts a program whose first line is the port of a metastore.
func (h *Hive) start(t testing.TB, variable string, args ...string) {
	t.Helper()
	jar := os.Getenv(variable)
	if jar == "" {
		t.Fatalf("%s is not set: run make interop", variable)
	}
	java := judge.Java(t.Context(), "1g", jar, args...)
	in, err := java.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := java.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.in, h.out, h.java = in, bufio.NewReader(out), java
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
	h.port = strings.TrimSpace(line)
	h.URL = "hive://localhost:" + h.port + "/d."
}

// Kill ends the program, and returns what its threads were at.
func (h *Hive) Kill() string {
	threads, err := exec.Command("jstack", strconv.Itoa(h.java.Process.Pid)).CombinedOutput()
	return fmt.Sprintf("%s\n%v, %v", threads, err, h.java.Process.Kill())
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
