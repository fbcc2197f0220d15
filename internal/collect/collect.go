package collect

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// Most of the heap is buffers that are used again and again: letting it double before it is looked at would only add memory.
	growth = 50
	// A collection takes one to two milliseconds even of a small heap, most of which is tables of the program, so it waits for as many bytes to
	// be allocated as this. Reading the columns of a file one after the other took up to half of the CPU time for collections
	// without it.
	least = 16 << 20
	// In percent of 4 MiB: of a heap that has not been looked at yet. Most short commands never allocate so much. With growth from the
	// beginning there were two collections before the first line of the program, which took a third of the CPU time of a short command.
	firstGrowth = 400
)

// The value is made for what making it does, since no function of main is called so early.
var _ = putOff()

// putOff makes the first collection come late, and those after it as growth and least say. It reports whether it did: GOGC is obeyed.
func putOff() bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	debug.SetGCPercent(firstGrowth)
	afterNext(firstGrowth)
	return true
}

// afterNext sets the growth anew after the next collection, which percent is for.
func afterNext(percent int) { runtime.AddCleanup(new([16]*byte), adapt, percent) }

func adapt(percent int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	next := growth
	if live[0].Value.Kind() == metrics.KindUint64 {
		next = growthOf(live[0].Value.Uint64())
	}
	if next != percent {
		debug.SetGCPercent(next)
	}
	afterNext(next)
}

// growthOf returns by how many percent a heap of so many bytes grows until the next collection.
func growthOf(live uint64) int {
	return max(growth, int(least*100/max(live, 1<<20)))
}
