package orc

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/annotate/golden"
)

// rootInt is a whole file, the one that docs/formats/orc.md takes apart: 70 integers, by Java 2.3.1. All of its messages
// are in chunks that are stored as they are.
var rootInt = mustHex(`
	4f5243 430000 0a1f 0a03000000 1218 0846 1212 0881b2909 80c10ecbcacb80f188e80ff8d18 5000
	e00000 3ba034f30c134399120343ad1a1083683120e66260a8f905c46fa0f8119
	0be03c4b780f80a105f00e233407c0488b701f12a205e04c473a0b80f48770171
	1b109701711a10c701b11f8398f2aec32c928cfbd49d4f313030be65bc71e9f37
	76eb91cc6c38e32fdb35c9f3030acd60200
	290000 0a06080610001824 0a06080110001873 12020802
	3d0000 0a1c0a1a 0846 1212 0881b2909 80c10ecbcacb80f188e80ff8d18 5000 5873
	830000 0803 10b101 1a0a 0803 1024 1873 2017 2846 2202 0803 3046 3a1a 0846 1212 0881b2909 80c10ecbcacb80f188e80ff8d18 5000 5873
	40e807 4800 5801 6205322e332e31
	0844 1001 18808010 2202000c 2821 3009 82f403034f5243 17`)

func mustHex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

func showBytes(t testing.TB, b []byte, o Options) *File {
	t.Helper()
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func showFile(t testing.TB, path string, o Options) *File {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return showBytes(t, b, o)
}

func dump(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Dump(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// altered returns rootInt with bytes replaced.
func altered(at int, b ...byte) []byte {
	out := bytes.Clone(rootInt)
	copy(out[at:], b)
	return out
}

func TestDumpGolden(t *testing.T) {
	for _, x := range []struct {
		name string
		b    []byte
	}{
		{"root-int", rootInt},
		{"bad-chunk", altered(42, 0xff, 0xff)},          // no deflate stream begins like this
		{"long-chunk", altered(39, 0xff, 0xff, 0xff)},   // longer than its stream
		{"bad-index", altered(6, 0x0b)},                 // a varint where an entry should be
		{"bad-encoding", altered(176, 3)},               // a dictionary of integers
		{"bad-stripe-footer", altered(157, 0x0a, 0xff)}, // a stream longer than the message
	} {
		t.Run(x.name, func(t *testing.T) {
			golden.Check(t, filepath.Join("testdata", "dump", x.name+".txt"), dump(t, showBytes(t, x.b, Options{})))
		})
	}
}

// Files of real writers, small enough to be read by eye: without a codec, and with values that a reader has to explain.
func TestDumpGoldenFiles(t *testing.T) {
	for _, name := range []string{
		"java-2.3.1/tiny-none.orc", "java-2.3.1/root-timestamp.orc", "java-2.3.1/zero-rows-none.orc", "java-2.3.1/deep-40-empty.orc",
	} {
		t.Run(name, func(t *testing.T) {
			to := strings.TrimSuffix(filepath.Base(name), ".orc") + ".txt"
			golden.Check(t, filepath.Join("testdata", "dump", to), dump(t, showFile(t, fixtureDir+name, Options{})))
		})
	}
}

const fixtureDir = "../../testdata/orc/"

// soundFiles returns the fixtures.
func soundFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(fixtureDir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".orc" {
			out = append(out, path)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("%d fixtures, %v", len(out), err)
	}
	return out
}

// testKeys are the keys of the encrypted fixtures.
func testKeys(t testing.TB) Keys {
	t.Helper()
	keys, err := loadKeys(fixtureDir + "keys.json")
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// The dump says something about every byte; no byte of a sound file is in two ranges.
func TestDumpEveryFile(t *testing.T) {
	t.Parallel()
	for _, path := range soundFiles(t) {
		s := string(dump(t, showFile(t, path, Options{Keys: testKeys(t)})))
		if strings.Contains(s, " ! ") {
			t.Errorf("%s: a fault in\n%s", path, s)
		}
		if strings.Contains(s, "not explained") && !strings.Contains(path, "gaps") {
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
	disk := fullDisk(100)
	if err := showBytes(t, rootInt, Options{}).Dump(context.Background(), &disk); !errors.Is(err, errDiskFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := showBytes(t, rootInt, Options{}).Dump(ctx, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
