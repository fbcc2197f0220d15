//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"fmt"
	"sync"
)

// bounded has limitProcess called once.
var bounded sync.Once

// boundProcess keeps the process within the memory of the machine or the container, when a database for strangers is opened.
func (d *DB) boundProcess() (err error) {
	bounded.Do(func() {
		// DuckDB's default is 80 % of what the machine or the container has.
		if d.run("RESET memory_limit") != nil {
			return
		}
		text, failed := d.text("SELECT current_setting('memory_limit')")
		if d.o.Memory > 0 {
			err = d.run(fmt.Sprintf("SET memory_limit = '%dB'", d.o.Memory))
		}
		if failed == nil {
			limitProcess(sizeOf(text) / 80 * 95)
		}
	})
	return err
}

// sizeOf reads a number of bytes as DuckDB writes it; 0 = it is something else.
func sizeOf(text string) int64 {
	var n float64
	var unit string
	if _, err := fmt.Sscanf(text, "%f %s", &n, &unit); err != nil {
		return 0
	}
	shift, ok := map[string]int{"bytes": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[unit]
	if !ok || n < 0 || n > 1<<20 {
		return 0
	}
	return int64(n * float64(int64(1)<<shift))
}
