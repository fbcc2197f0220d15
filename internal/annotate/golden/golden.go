package golden

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write golden files instead of comparing with them")

// Check fails t if got is not what the file at path holds, naming the first line that differs. With -rewrite it writes
// got there instead.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, g, w, same := firstDifference(got, want); !same {
		t.Errorf("%s:%d: -rewrite accepts it\n got: %s\nwant: %s", path, n, g, w)
	}
}

// firstDifference returns the number of the first line in which two texts differ, and both lines.
func firstDifference(got, want []byte) (line int, g, w []byte, same bool) {
	for line = 1; ; line++ {
		var moreG, moreW bool
		g, got, moreG = bytes.Cut(got, []byte("\n"))
		w, want, moreW = bytes.Cut(want, []byte("\n"))
		if !bytes.Equal(g, w) || moreG != moreW {
			return line, g, w, false
		}
		if !moreG {
			return line, nil, nil, true
		}
	}
}
