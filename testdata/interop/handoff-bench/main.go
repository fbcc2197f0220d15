// Handoff-bench scans an ORC file in Go as the Python package is measured: with every batch released before the next, or
// with all of them held, which `arrowio scan` does not do. It scans once for each line that it reads, and answers with a
// line of JSON, so that others can be measured in turns with a process that is warm.
//
//	handoff-bench [-jobs N] [-hold] [-c] FILE
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/readers"
)

var (
	jobs = flag.Int("jobs", 1, "how many threads decode; 0 = one for each core")
	hold = flag.Bool("hold", false, "hold all batches until the scan has ended")
	c    = flag.Bool("c", false, "decode into the memory that is handed over to C, not into Go's")
)

// round is what one scan took, and what giving back what it held took.
type round struct {
	Wall   float64 `json:"wall_seconds"`
	CPU    float64 `json:"cpu_seconds"`
	Faults int64   `json:"faults"`
	Free   float64 `json:"free_cpu_seconds"`
	Rows   int64   `json:"rows"`
}

func main() {
	flag.Parse()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		r, err := scan(flag.Arg(0))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			os.Exit(1)
		}
	}
}

func scan(path string) (r round, err error) {
	ctx := context.Background()
	f, err := readers.OpenFile(ctx, path, readers.Options{})
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }()
	o := arrowio.ScanOptions{Parallelism: *jobs}
	if *c {
		o.Allocator = arrowc.Memory()
	}
	begin, before, faults := time.Now(), cpu(), usage().Minflt
	s, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return r, err
	}
	defer s.Release()
	var held []arrow.Record
	for s.Next() {
		rec := s.Record()
		r.Rows += rec.NumRows()
		if *hold {
			rec.Retain()
			held = append(held, rec)
		}
	}
	after := cpu()
	r.Wall, r.CPU, r.Faults = time.Since(begin).Seconds(), after-before, usage().Minflt-faults
	for _, rec := range held {
		rec.Release()
	}
	r.Free = cpu() - after
	return r, s.Err()
}

func usage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of ourselves it cannot fail
	return u
}

func cpu() float64 {
	u := usage()
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
