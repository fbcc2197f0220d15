//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNoRoom: a process that the system lets write no more than 8 KB to a file stands for a full disk, without a disk: the
// write that goes beyond fails in the kernel, with an error of its own. Nothing stands under the file's name then but what
// stood there before, nothing is left beside it, and the exit code is that of trouble with the system.
func TestNoRoom(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source := writeIPC(t, filepath.Join(t.TempDir(), "in.arrow"), personSchema, people(t, 0, 5_000)...)
	for _, name := range []string{"out.orc", "out.trv", "out.parquet", "out.arrow"} {
		for _, old := range []string{"", "what was there before"} {
			for _, jobs := range []string{"1", "2"} {
				dir := t.TempDir()
				target := filepath.Join(dir, name)
				if old != "" {
					if err := os.WriteFile(target, []byte(old), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				// The unit is 512 bytes, or 1024 in some shells.
				args := []string{"-c", `ulimit -f 8 && exec "$0" "$@"`, exe, "convert", "--force", "--jobs", jobs, source, target}
				cmd := exec.CommandContext(ctx, "sh", args...)
				cmd.Env = append(os.Environ(), asProgram+"=1")
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				var exit *exec.ExitError
				if err := cmd.Run(); !errors.As(err, &exit) {
					t.Fatalf("%s: %v: %s", name, err, errs.String())
				}
				fails(t, outcome{exit.ExitCode(), out.String(), errs.String()}, exitSystem, "too large")
				b, err := os.ReadFile(target)
				if old == "" && !errors.Is(err, fs.ErrNotExist) || string(b) != old {
					t.Errorf("%s: %d bytes, %v; before: %q", name, len(b), err, old)
				}
				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if strings.HasPrefix(e.Name(), ".") {
						t.Errorf("%s: %s is left", name, e.Name())
					}
				}
			}
		}
	}
}
