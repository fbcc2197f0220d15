package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// cancel cancels after every batch, and releases without reading on: neither leaves anything behind.
func (s *suite) cancel(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	size := max(1, int(s.rows()/8))
	for _, parallelism := range []int{1, 3} {
		o := arrowio.ScanOptions{BatchRows: size, Parallelism: parallelism}
		for after := 0; ; after++ {
			ended, err := s.cancelAfter(t, f, o, after)
			if err != nil {
				t.Errorf("%d at once, cancelled after %d batches: %v", parallelism, after, err)
			}
			if ended {
				break
			}
		}
	}
}

// cancelAfter reads some batches and cancels; ended reports that there were no more.
func (s *suite) cancelAfter(t *testing.T, f arrowio.File, o arrowio.ScanOptions, after int) (ended bool, err error) {
	mem, done := watch(t)
	defer done()
	o.Allocator = mem
	for _, cancels := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := arrowio.Scan(ctx, f, o)
		if err != nil {
			return true, err
		}
		rows := int64(0)
		for range after {
			if !r.Next() {
				break
			}
			rows += r.Record().NumRows()
		}
		ended = rows == s.rows()
		if cancels {
			cancel()
			for r.Next() { // what was decoded already may still come
				rows += r.Record().NumRows()
			}
			if err := r.Err(); !ended && !errors.Is(err, context.Canceled) {
				r.Release()
				return ended, fmt.Errorf("the scan gave %d rows of %d and the error %v, not a context error", rows, s.rows(), err) //nolint:errorlint // it may be nil
			}
		}
		r.Release()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := arrowio.Scan(ctx, f, o); err == nil {
		for r.Next() {
		}
		if s.rows() > 0 && !errors.Is(r.Err(), context.Canceled) {
			err = fmt.Errorf("a scan with a cancelled context: %v", r.Err()) //nolint:errorlint // it may be nil
		}
		r.Release()
		return ended, err
	} else if !errors.Is(err, context.Canceled) {
		return ended, err
	}
	return ended, nil
}

// errFault is what a failing read returns.
var errFault = errors.New("the disk is on fire")

// faultySource fails one of its reads.
type faultySource struct {
	arrowio.Source
	failAt int64 // the read that fails, from 1; 0 = none
	short  bool  // it gives fewer bytes and io.ErrUnexpectedEOF instead of errFault
	reads  atomic.Int64
	fired  atomic.Bool
}

func (s *faultySource) ReadAt(p []byte, off int64) (int, error) {
	if s.reads.Add(1) != s.failAt || len(p) == 0 {
		return s.Source.ReadAt(p, off)
	}
	s.fired.Store(true)
	if !s.short {
		return 0, errFault
	}
	n, _ := s.Source.ReadAt(p[:len(p)/2], off)
	return n, io.ErrUnexpectedEOF
}

// faults fails every read of the source in turn, during open and scan.
func (s *suite) faults(t *testing.T) {
	if s.h.Source == nil {
		return // nothing is read
	}
	for _, parallelism := range []int{1, 3} {
		o := arrowio.ScanOptions{Parallelism: parallelism, BatchRows: max(1, int(s.rows()/4))}
		whole := &faultySource{Source: s.h.Source}
		if err := s.scanFaulty(t, whole, o); err != nil {
			t.Fatal(err)
		}
		reads := whole.reads.Load()
		step := 1 + reads/40
		for at := int64(1); at <= reads; at += step {
			for _, short := range []bool{false, true} {
				src := &faultySource{Source: s.h.Source, failAt: at, short: short}
				err := s.scanFaulty(t, src, o)
				want := errFault
				if short {
					want = io.ErrUnexpectedEOF
				}
				switch {
				case !src.fired.Load(): // this time there were fewer reads
				case err == nil:
					t.Errorf("%d at once: read %d of %d failed without an error", parallelism, at, reads)
				case !errors.Is(err, want):
					t.Errorf("%d at once: read %d of %d: the error %q does not wrap the source's", parallelism, at, reads, err)
				case errors.Is(err, errs.ErrInternal):
					t.Errorf("%d at once: read %d of %d: %v", parallelism, at, reads, err)
				}
			}
		}
	}
}

// scanFaulty opens and scans everything over src.
func (s *suite) scanFaulty(t *testing.T, src arrowio.Source, o arrowio.ScanOptions) error {
	mem, done := watch(t)
	defer done()
	o.Allocator = mem
	f, err := s.h.Open(context.Background(), src)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := arrowio.Scan(context.Background(), f, o)
	if err != nil {
		return err
	}
	defer r.Release()
	c := &checker{want: s.plain, due: spans(0, s.rows())}
	for r.Next() {
		if err := c.add(r.Record()); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	return c.finish()
}
