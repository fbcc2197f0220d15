package local

import (
	"os"
	"sync"
)

// unfinished are the hidden directories of the outputs that this process writes.
var unfinished struct {
	mu     sync.Mutex
	dirs   map[string]bool
	ending bool
}

// remember notes a hidden directory. It reports whether the process goes on.
func remember(dir string) bool {
	unfinished.mu.Lock()
	defer unfinished.mu.Unlock()
	if unfinished.dirs == nil {
		unfinished.dirs = map[string]bool{}
	}
	unfinished.dirs[dir] = true
	return !unfinished.ending
}

// forget takes a hidden directory out, before it becomes the output or is removed. It reports whether the process goes on.
func forget(dir string) bool {
	unfinished.mu.Lock()
	defer unfinished.mu.Unlock()
	delete(unfinished.dirs, dir)
	return !unfinished.ending
}

// RemoveUnfinished removes the hidden files of all outputs that this process has not finished, for a process that ends at once, without
// Abort. No output of the process is finished afterwards: Create and Commit fail.
func RemoveUnfinished() {
	unfinished.mu.Lock()
	defer unfinished.mu.Unlock()
	unfinished.ending = true
	for dir := range unfinished.dirs {
		const tries = 5 // others may make files there meanwhile
		for i := 0; i < tries && os.RemoveAll(dir) != nil; i++ {
			continue
		}
	}
}
