// Write measures writing CFiles: it reads the rows of a file into memory, and writes them PASSES times, as FORMAT: cfile,
// or kudu with the columns of KEY as its key.
//
//	write FILE OUT FORMAT KEY CODEC JOBS PASSES
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
	"path/filepath"
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
	if len(args) != 7 {
		return errors.New("usage: write FILE OUT FORMAT KEY CODEC JOBS PASSES")
	}
	jobs, err := strconv.Atoi(args[5])
	if err != nil {
		return err
	}
	passes, err := strconv.Atoi(args[6])
	if err != nil {
		return err
	}
	o := arrowio.WriteOptions{Compression: args[4], Parallelism: jobs, Options: map[string]string{}}
	if args[2] == "kudu" {
		o.Options["kudu-key"] = args[3]
	}
	recs, err := load(args[0])
	if err != nil {
		return err
	}
	for range passes {
		if err := pass(recs, args[1], args[2], o, os.Stdout); err != nil {
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

func pass(recs []arrow.Record, out, format string, o arrowio.WriteOptions, log io.Writer) error {
	cpu, start := cpuSeconds(), time.Now()
	f, err := writers.Lookup(format)
	if err != nil {
		return err
	}
	p, err := f.Plan(recs[0].Schema(), o)
	if err != nil {
		return err
	}
	st, err := local.NewFileStore(out, local.FileStoreOptions{Force: true, Directory: f.Directory})
	if err != nil {
		return err
	}
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		return err
	}
	rows, bytes := int64(0), int64(0)
	for _, r := range recs {
		rows += r.NumRows()
		for _, c := range r.Columns() {
			bytes += arrowBytes(c)
		}
		if err := w.Write(r); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	cpu, wall := cpuSeconds()-cpu, time.Since(start).Seconds()
	stored, err := size(out)
	if err != nil {
		return err
	}
	return json.NewEncoder(log).Encode(map[string]any{"rows": rows, "arrow_bytes": bytes, "cpu": cpu, "wall": wall, "bytes": stored})
}

// arrowBytes is what the values of a flat column take, and the bits that say which are null.
func arrowBytes(a arrow.Array) int64 {
	d, n := a.Data(), int64(a.Len())
	size := int64(0)
	if a.NullN() > 0 {
		size += (n + 7) / 8
	}
	switch t := a.DataType().(type) {
	case arrow.BinaryDataType: // all have offsets of 4 bytes here
		at := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():]
		size += 4*(n+1) + int64(at[n]-at[0])
	case arrow.FixedWidthDataType:
		size += (n*int64(t.BitWidth()) + 7) / 8
	}
	return size
}

// size is how many bytes the files below a directory have.
func size(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		i, err := e.Info()
		if err == nil {
			n += i.Size()
		}
		return err
	})
	return n, err
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
