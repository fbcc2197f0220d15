package trevni

import (
	"sync"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// meetingSource is a far file whose reads behind its start wait for one another, in vain after a while.
type meetingSource struct {
	arrowio.Source
	mu   sync.Mutex
	here int
	most int
	met  chan struct{} // closed when there are two
}

func (s *meetingSource) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		s.mu.Lock()
		s.here++
		if s.most = max(s.most, s.here); s.here == 2 && s.most == 2 {
			select {
			case <-s.met:
			default:
				close(s.met)
			}
		}
		s.mu.Unlock()
		select {
		case <-s.met:
		case <-time.After(2 * time.Second):
		}
		defer func() {
			s.mu.Lock()
			s.here--
			s.mu.Unlock()
		}()
	}
	return s.Source.ReadAt(p, off)
}

// The first blocks of decimals, which tell whether they are any, are read at the same time from a store.
func TestFarDecimals(t *testing.T) {
	const decimal = `{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`
	schema := `{"type":"record","name":"R","fields":[{"name":"d","type":` + decimal + `},{"name":"e","type":` + decimal + `},{"name":"f","type":` + decimal + `}]}`
	good := []builtBlock{block(2, 4, 0x27, 0x0f, 4, 0xd8, 0xf1)}        // 9999, -9999
	wide := []builtBlock{block(1, 6, 0x7f, 0xff, 0xff), block(1, 2, 1)} // 8388607
	b := build(2, schema, builtColumn{name: "d", typ: "bytes", blocks: good}, builtColumn{name: "e", typ: "bytes", blocks: wide}, builtColumn{name: "f", typ: "bytes", blocks: good})
	src := &meetingSource{Source: local.NewBytesSource(b), met: make(chan struct{})}
	f, err := Open(t.Context(), src, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, want := range []string{"decimal(4, 2)", "binary", "decimal(4, 2)"} {
		if got := f.Schema().Field(i).Type.String(); got != want {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
	}
	if src.most < 2 {
		t.Errorf("%d reads at the same time", src.most)
	}
}

// store is a source that takes several ranges at once.
type store struct{ arrowio.Source }

func (store) ReadsSpans() bool { return true }

// Splits of a file in a store are larger, but not so large that a limit of them is over.
func TestFarSplits(t *testing.T) {
	b := build(2, "", builtColumn{name: "x", typ: "int", blocks: []builtBlock{block(2, 2, 4)}})
	for _, c := range []struct{ limit, near, far int64 }{{0, splitBytes, farSplitBytes}, {10 << 20, splitBytes, 5 << 20}, {1, splitBytes, 1}} {
		near := local.NewBytesSource(b)
		for src, want := range map[arrowio.Source]int64{near: c.near, store{near}: c.far} {
			f, err := Open(t.Context(), src, arrowio.Limits{SplitBytes: c.limit}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if f.splitBytes != want {
				t.Errorf("limit %d: splits of %d bytes, want %d", c.limit, f.splitBytes, want)
			}
			_ = f.Close()
		}
	}
}
