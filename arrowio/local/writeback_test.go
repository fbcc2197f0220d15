package local

import (
	"bytes"
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteback: the system is asked to store what is in the file, all but the last bytes, and the file has what was written.
func TestWriteback(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	st := fileStoreAt(t, path, FileStoreOptions{})
	w, err := st.Create(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	k := w.(*fileSink)
	r := rand.New(rand.NewSource(1))
	var want []byte
	for len(want) < 3*writeback+sinkBuffer {
		part := make([]byte, 1+r.Intn(3*sinkBuffer))
		r.Read(part)
		want = append(want, part...)
		if n, err := k.Write(part); err != nil || n != len(part) {
			t.Fatalf("%d bytes of %d, %v", n, len(part), err)
		}
		fi, err := k.f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if k.storing > fi.Size() || fi.Size()-k.storing >= writeback {
			t.Fatalf("%d bytes are in the file, %d are being stored", fi.Size(), k.storing)
		}
	}
	if k.storing < 2*writeback {
		t.Errorf("%d bytes of %d are being stored", k.storing, len(want))
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if err := st.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v, want the %d that were written", len(got), err, len(want))
	}
}

func TestWritebackIsAHint(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	beginWriteback(w, 0, 1) // a pipe has none
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	beginWriteback(w, 0, 1) // nor has what is closed
}
