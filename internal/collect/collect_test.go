package collect

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const child = "ARROWIO_COLLECT_CHILD"

var kept [][]*byte

// fill makes the heap larger by so many MiB.
func fill(n int) {
	for range n << 4 {
		kept = append(kept, make([]*byte, 8<<10))
	}
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// TestFirstCollection runs itself in a process for each value of GOGC, which is read when a process starts.
func TestFirstCollection(t *testing.T) {
	if os.Getenv(child) != "" {
		fill(8)
		early := collections()
		fill(24)
		percent := -1
		for range 5000 { // a collection takes a while, and the cleanup runs a little after it
			percent = debug.SetGCPercent(firstGrowth)
			debug.SetGCPercent(percent)
			if percent == growth || percent == 20 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		fmt.Printf("collected %v %v, growth %d\n", early > 0, collections() > 0, percent)
		return
	}
	for gogc, want := range map[string]string{"": "collected false true, growth 50", "20": "collected true true, growth 20"} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestFirstCollection$")
		cmd.Env = append(os.Environ(), child+"=1", "GOGC="+gogc)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("GOGC=%q: %v, wanted %q:\n%s", gogc, err, want, out)
		}
	}
}

// Between two collections of a small heap there are 16 MiB of garbage; a large one grows by half.
func TestGrowth(t *testing.T) {
	for live, want := range map[uint64]int{0: 1600, 4 << 20: 400, 20 << 20: 80, 32 << 20: 50, 1 << 40: 50} {
		if got := growthOf(live); got != want {
			t.Errorf("of %d bytes: %d, want %d", live, got, want)
		}
	}
}
