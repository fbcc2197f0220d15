package collect

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// Most of the heap is buffers that are used again and again: letting it double before it is looked at would only add memory. There is
	// little garbage, so looking more often costs nothing that can be measured.
	growth = 50
	// In percent of 4 MiB: of a heap that has not been looked at yet. Most short commands never allocate so much. With growth from the
	// beginning there were two collections before the first line of the program, which took a third of the CPU time of a short command.
	firstGrowth = 400
)

// The value is made for what making it does, since no function of main is called so early.
var _ = putOff()

// putOff makes the first collection come late, and those after it as growth says. It reports whether it did: GOGC is obeyed.
func putOff() bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	debug.SetGCPercent(firstGrowth)
	runtime.AddCleanup(new([16]*byte), func(percent int) { debug.SetGCPercent(percent) }, growth) // runs after the first collection
	return true
}
