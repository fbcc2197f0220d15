// Write measures writing ORC or Parquet, as OUT ends: it reads the rows of a file into memory, and writes them PASSES times.
//
//	write FILE OUT CODEC JOBS PASSES
//
// It prints a line of JSON for each pass.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 5 {
		return errors.New("usage: write FILE OUT CODEC JOBS PASSES")
	}
	jobs, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	passes, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	recs, err := load(args[0])
	if err != nil {
		return err
	}
	for range passes {
		if err := pass(recs, args[1], args[2], jobs, os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// load returns the batches of a file.
func load(path string) (recs []arrow.Record, err error) {
	f, err := readers.OpenFile(context.Background(), path, readers.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Release()
	for s.Next() {
		s.Record().Retain()
		recs = append(recs, s.Record())
	}
	return recs, s.Err()
}

func pass(recs []arrow.Record, out, codec string, jobs int, log io.Writer) error {
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) { // which takes time
		return err
	}
	cpu, start := cpuSeconds(), time.Now()
	format, err := writers.ByExtension(out)
	if err != nil {
		return err
	}
	st, err := local.NewFileStore(out, local.FileStoreOptions{Force: true})
	if err != nil {
		return err
	}
	p, err := format.Plan(recs[0].Schema(), arrowio.WriteOptions{Compression: codec, Parallelism: jobs})
	if err != nil {
		return errors.Join(err, st.Abort())
	}
	w, err := arrowio.NewWriter(context.Background(), format, st, p)
	if err != nil {
		return err
	}
	rows := int64(0)
	for _, r := range recs {
		rows += r.NumRows()
		if err := w.Write(r); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	fi, err := os.Stat(out)
	if err != nil {
		return err
	}
	return json.NewEncoder(log).Encode(map[string]any{
		"rows": rows, "cpu": cpuSeconds() - cpu, "wall": time.Since(start).Seconds(), "bytes": fi.Size(),
	})
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
