//go:build interop

package icebergtable_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/icebergmeta"
	"github.com/arrowio/arrowio/internal/orctext"
)

// program is another implementation, which answers one question after the other.
type program struct {
	name string
	in   io.WriteCloser
	out  *bufio.Reader
	rows func(t *testing.T, file string) []string // what it has written of a table
}

// startPyIceberg starts iceberg_judge.py.
func startPyIceberg(t *testing.T) *program {
	t.Helper()
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	return start(t, "PyIceberg", exec.CommandContext(t.Context(), python, "../../testdata/interop/iceberg_judge.py"), ipcRows)
}

func start(t *testing.T, name string, cmd *exec.Cmd, rows func(t *testing.T, file string) []string) *program {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // it ends with its input
	})
	return &program{name, in, bufio.NewReader(out), rows}
}

// ask asks a question; the answer goes to what to points to.
func (p *program) ask(t *testing.T, question map[string]any, to any) error {
	t.Helper()
	b, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var failed struct{ Error string }
	if err := json.Unmarshal(line, &failed); err != nil {
		t.Fatal(err)
	}
	if failed.Error != "" {
		return fmt.Errorf("%s: %s", p.name, failed.Error)
	}
	if to != nil {
		if err := json.Unmarshal(line, to); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}

// ipcRows returns the rows of an Arrow file as text.
func ipcRows(t *testing.T, name string) (out []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, orctext.Rows(rec)...)
	}
	return out
}

// knownLimit is what PyIceberg 0.12 does not read: uuids and fixed values in ORC, which Arrow's C++ reader shows as binary, and times in
// nanoseconds.
var knownLimit = regexp.MustCompile(`Cannot promote an binary to (uuid|fixed)|schema projection from timestamp\[ns`)

// TestPyIceberg has PyIceberg read tables that were written and changed here.
func TestPyIceberg(t *testing.T) {
	py := startPyIceberg(t)
	dir := t.TempDir()
	const tables = 24
	limits := 0
	for seed := range tables {
		at := filepath.Join(dir, fmt.Sprintf("t%d", seed))
		made := randomTable
		if seed%2 == 1 {
			made = randomChanged
		}
		j := made(t, int64(100+seed), at)
		if j == nil {
			continue
		}
		state, err := icebergmeta.Current(t.Context(), local.DirTree(at))
		if err != nil {
			t.Fatal(err)
		}
		err = py.ask(t, map[string]any{"read": filepath.Join(at, state), "out": at + ".arrow"}, nil)
		switch {
		case err == nil:
			_, schema := rows(t, at)
			sameRows(t, at+" by PyIceberg", ipcRows(t, at+".arrow"), slices.Clone(j.want), schema)
		case knownLimit.MatchString(err.Error()):
			limits++
		default:
			t.Errorf("%s: %s: %v", at, j.schema, err)
		}
	}
	if limits > tables/4 {
		t.Errorf("PyIceberg cannot read %d of %d tables", limits, tables)
	}
}

// TestPyIcebergsTables reads tables that PyIceberg made and changed: rows appended, replaced and deleted, columns added, renamed, widened and
// dropped, partitions that changed. A verification finds no fault.
func TestPyIcebergsTables(t *testing.T) {
	py := startPyIceberg(t)
	var made struct{ States [][2]string }
	if err := py.ask(t, map[string]any{"make": t.TempDir(), "tables": 8}, &made); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, state := range made.States {
		got, schema := rows(t, state[0])
		all += len(got)
		sameRows(t, state[0], got, ipcRows(t, state[1]), schema)
		for _, f := range faults(t, state[0]) {
			t.Errorf("%s: %s", state[0], f)
		}
	}
	if all == 0 {
		t.Error("no table has rows")
	}
}

// sameRows compares rows as text, in any order.
func sameRows(t *testing.T, where string, got, want []string, s *arrow.Schema) {
	t.Helper()
	for _, all := range [][]string{got, want} {
		for i := range all {
			all[i] = unsigned(orctext.Ordered(all[i], s.Fields()))
		}
		slices.Sort(all)
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, not %d", where, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: row %d is\n%s, not\n%s", where, i, got[i], want[i])
			return
		}
	}
}
