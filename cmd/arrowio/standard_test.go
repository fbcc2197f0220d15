//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fullWriter is a disk without room.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}
}

// An output that takes no more is an error of every command, is said once, and is not the input's fault.
func TestFullStandardOutput(t *testing.T) {
	in := csvFile(t)
	for _, args := range [][]string{
		{"help"},
		{"convert", "--help"},
		{"help", "where"},
		{"completion", "bash"},
		{"version"},
		{"cat", in},
		{"cat", "--format", "csv", in},
		{"verify", in},
		{"inspect", in},
		{"schema", in},
		{"count", in},
		{"convert", "--to", "ipc-stream", in, "-"},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), fullWriter{}, &stderr)
		if got := stderr.String(); code != exitSystem || got != "arrowio: standard output: no space left on device\n" {
			t.Errorf("%q: exit %d, %q", args, code, got)
		}
	}
}

func TestStandardInputHasOneName(t *testing.T) {
	o := doWith(t, t.Context(), strings.NewReader("id\n1\n"), "verify", "--from", "csv", "-")
	if !strings.HasPrefix(o.out, "standard input: ok") {
		t.Errorf("%+v", o)
	}
}

// The notes of a conversion are objects where errors are.
func TestNoteAsJSON(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.jsonl")
	var note struct{ Level, File, Message string }
	o := do(t, "convert", "--json-errors", csvFile(t), out)
	if err := json.Unmarshal([]byte(o.err), &note); err != nil || note.Level != "note" || note.File != out || !strings.HasPrefix(note.Message, "not all can be read back") {
		t.Errorf("%+v, %v", o, err)
	}
}

// A path that leads to a pipe without a name, as /dev/stdout does, is not to be written to, and does not lead nowhere.
func TestPipeAsOutput(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `"$0" convert --to csv "$1" /dev/stdout | cat`, exe, csvFile(t))
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got := stderr.String(); got != "arrowio: /dev/stdout: is a device, pipe or socket; the name - is standard output\n" {
		t.Errorf("%q", got)
	}
}

// A signal that was ignored when the program began stays ignored, as of what a script runs in the background.
func TestIgnoredInterrupt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `trap '' INT; (sleep 0.3; echo id; echo 1) | "$0" count --from csv - & sleep 0.1; kill -INT $!; wait $!`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script, exe)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if b, err := cmd.CombinedOutput(); err != nil || string(b) != "1\n" {
		t.Errorf("%q, %v", b, err)
	}
}
