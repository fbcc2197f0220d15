package trevni

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/annotate/golden"
)

func dump(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Dump(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDumpGolden(t *testing.T) {
	for _, path := range []string{
		data + "java-1.12.1/rows7.trv",
		data + "java-1.12.1/nulls.trv",
		data + "java-1.12.1/prim-null-crc32.trv", // stored checksums of 0
		data + "java-1.12.1/first-values-boolean.trv",
		data + "java-1.12.1/avro-optional.trv",
		data + "foreign/order-gaps-tail.trv",
		data + "foreign/blocks-of-no-rows.trv",
		data + "foreign/crc-little-endian.trv",
		data + "foreign/runs-of-ones.trv",
		corrupt + "start-shared.trv",
		corrupt + "blocks-huge.trv",
		corrupt + "crc-snappy.trv",
		corrupt + "int-unfinished.trv",
		corrupt + "deflate-cut.trv",
	} {
		name := strings.TrimSuffix(filepath.Base(path), ".trv")
		t.Run(name, func(t *testing.T) {
			f := openFile(t, path, Options{})
			golden.Check(t, filepath.Join("testdata", "dump", name+".txt"), dump(t, f))
		})
	}
}

// The dump says something about every byte, or shows it as not explained; no byte of a sound file is in two ranges.
func TestDumpEveryFile(t *testing.T) {
	for _, path := range sound(t) {
		b := dump(t, openFile(t, path, Options{}))
		if s := string(b); strings.Contains(s, " ! ") || strings.Contains(s, "# ! ") {
			t.Errorf("%s: a fault in\n%s", path, s)
		}
		if s := string(b); strings.Contains(s, "not explained") && !strings.Contains(path, "gaps") {
			t.Errorf("%s: bytes that are not explained in\n%s", path, s)
		}
	}
}

// fullDisk takes some bytes and no more.
type fullDisk int

var errDiskFull = errors.New("disk full")

func (d *fullDisk) Write(b []byte) (int, error) {
	if int(*d) < len(b) {
		return 0, errDiskFull
	}
	*d -= fullDisk(len(b))
	return len(b), nil
}

func TestDumpErrors(t *testing.T) {
	path := data + "java-1.12.1/nested3.trv"
	disk := fullDisk(100)
	if err := openFile(t, path, Options{}).Dump(context.Background(), &disk); !errors.Is(err, errDiskFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := openFile(t, path, Options{}).Dump(ctx, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := &failingSource{Source: local.NewBytesSource(b)}
	f, err := Open(context.Background(), src, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	src.fail = true
	if err := f.Dump(context.Background(), &bytes.Buffer{}); !errors.Is(err, errFailing) {
		t.Errorf("failing reads: %v", err)
	}
}

// failingSource fails all reads from some time on.
type failingSource struct {
	arrowio.Source
	fail bool
}

var errFailing = errors.New("no route to disk")

func (s *failingSource) ReadAt(p []byte, off int64) (int, error) {
	if s.fail {
		return 0, errFailing
	}
	return s.Source.ReadAt(p, off)
}
