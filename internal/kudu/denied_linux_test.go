package kudu

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// A superblock that this user may not read is not lost: an error names the file, to salvage, too.
func TestSuperblockDenied(t *testing.T) {
	s := newRealServer(t, "file")
	s.openToAll()
	path := s.superblocks()[0]
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for _, salvage := range []bool{false, true} {
			_, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{Salvage: salvage})
			if !isDenied(err) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
			// Asked to, an overview goes on with the others.
			v, err := OpenOverview(context.Background(), s.path("wal"), arrowio.Limits{}, Options{Salvage: salvage, PassDenied: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := v.Denied(); !isDenied(err) || !strings.Contains(err.Error(), path) || len(v.tables) == 0 || len(lossesOf(v.Warnings())) > 0 || !anyHas(told(v), "may not be read", path) {
				t.Errorf("%v, %d tables, %q", err, len(v.tables), told(v))
			}
			_ = v.Close()
			// So does the reading of a table, which the tablet may be of.
			f, w := s.warningsOf("kudu-table=types", fmt.Sprintf("kudu-salvage=%v", salvage))
			if f.rows() == 0 || len(lossesOf(w)) > 0 || !anyHas(warned(w), "may not be read", path) {
				t.Errorf("%d rows, %+v", f.rows(), w)
			}
			if _, err := s.openAs(arrowio.ForRows, "kudu-table=none"); !isDenied(err) || !strings.Contains(err.Error(), path) {
				t.Errorf("no table: %v", err)
			}
			if f, err := s.openAs(arrowio.ForVerify); err != nil {
				t.Error(err)
			} else if err := f.(arrowio.Verifier).Verify(t.Context(), func(err error) { t.Error(err) }); !isDenied(err) || !strings.Contains(err.Error(), path) {
				t.Errorf("verify: %v", err)
			}
		}
	})
}

// Nor is anything else of a server: the tables end with an error that names the file.
func TestServerDenied(t *testing.T) {
	for _, manager := range []string{"file", "log"} {
		s := newRealServer(t, manager)
		s.openToAll()
		f := s.table("changed")
		block, _, err := f.blocks.At(f.tablets[0].rowsets[0].meta.Columns[0].Block)
		if err != nil {
			t.Fatal(err)
		}
		paths := []string{s.path("wal", "tablet-meta"), s.path("wal", "wals"), s.path("data", "data"), block, s.path("wal", "instance")}
		for _, path := range paths {
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			asNobody(t, func() {
				for _, salvage := range []bool{false, true} {
					f, err := Open(context.Background(), s.path("wal"), arrowio.Limits{}, Options{Table: "changed", Salvage: salvage})
					if err == nil {
						_ = f.Close()
						t.Errorf("%s, salvage %v: %d rows", path, salvage, f.rows())
					} else if !isDenied(err) || !strings.Contains(err.Error(), path) || strings.Count(err.Error(), "block ") > 1 {
						t.Errorf("%s, salvage %v: %v", path, salvage, err)
					}
				}
			})
			if err := os.Chmod(path, fi.Mode()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// openToAll lets everybody read the files.
func (s *realServer) openToAll() {
	s.t.Helper()
	err := filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if e.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// asNobody does something as a user who may read only what all may.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Getuid() == 0 { // who may read everything, as long as this thread is not somebody else to file systems
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Error(err)
			}
		}()
	}
	do()
}
