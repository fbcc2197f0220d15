package extsort

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/race"
)

// Whatever fails at whatever moment: the error comes out, and all memory and scratch files are given back.
func TestScratchFails(t *testing.T) {
	key := func(i int) int64 { return int64(i * 7919 % 20_011) }
	o := func(d *disk, mem memory.Allocator) Options {
		return Options{Memory: 64 << 10, Scratch: d.scratch, Allocator: mem}
	}
	whole := &disk{}
	if _, stats, err := sortAll(context.Background(), ints(memory.NewGoAllocator(), 20_000, 1000, key), keysOf("k"), o(whole, memory.NewGoAllocator())); err != nil || stats.Merges == 0 {
		t.Fatal(err, stats)
	}
	step := 17
	if race.Enabled {
		step = 97
	}
	for at := 1; at <= whole.ops; at += step {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		recs := ints(mem, 20_000, 1000, key)
		d := &disk{failAt: at}
		got, _, err := sortAll(context.Background(), recs, keysOf("k"), o(d, mem))
		if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "scratch file") {
			t.Errorf("operation %d of %d: %v", at, whole.ops, err)
		}
		if d.opened != d.closed {
			t.Errorf("operation %d: %d of %d scratch files closed", at, d.closed, d.opened)
		}
		releaseAll(got)
		releaseAll(recs)
		mem.AssertSize(t, 0)
	}
}

// spoilt gives back other bytes than were written, or fewer.
type spoilt struct {
	arrowio.ScratchFile
	short bool
}

func (f spoilt) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.ScratchFile.ReadAt(p, off)
	if f.short {
		return n / 2, io.EOF
	}
	p[n/3] ^= 4
	return n, err
}

func TestScratchIsDamaged(t *testing.T) {
	for _, short := range []bool{false, true} {
		d := &disk{}
		_, _, err := sortAll(context.Background(), ints(memory.NewGoAllocator(), 20_000, 1000, func(i int) int64 { return int64(-i) }), keysOf("k"), Options{
			Memory: 256 << 10,
			Scratch: func() (arrowio.ScratchFile, error) {
				f, err := d.scratch()
				return spoilt{f, short}, err
			},
		})
		if err == nil || !strings.Contains(err.Error(), "scratch file") {
			t.Errorf("short %v: %v", short, err)
		}
	}
}

func TestNoScratch(t *testing.T) {
	recs := ints(memory.NewGoAllocator(), 20_000, 1000, func(i int) int64 { return int64(-i) })
	if _, _, err := sortAll(context.Background(), recs, keysOf("k"), Options{Memory: 256 << 10}); !errors.Is(err, errs.ErrLimit) {
		t.Error(err)
	}
	if _, _, err := sortAll(context.Background(), recs, keysOf("k"), Options{}); err != nil {
		t.Error(err)
	}
}

// countdown is a context that is cancelled after it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancel(t *testing.T) {
	key := func(i int) int64 { return int64(i * 7919 % 20_011) }
	asked := &countdown{context.Background(), math.MaxInt}
	run := func(ctx context.Context) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		recs := ints(mem, 10_000, 1000, key)
		d := &disk{}
		got, _, err := sortAll(ctx, recs, keysOf("k"), Options{Memory: 64 << 10, Scratch: d.scratch, Allocator: mem})
		if ctx != asked && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if d.opened != d.closed {
			t.Errorf("%d of %d scratch files closed", d.closed, d.opened)
		}
		releaseAll(got)
		releaseAll(recs)
		mem.AssertSize(t, 0)
	}
	run(asked)
	n := math.MaxInt - asked.left
	for at := 0; at < n; at += max(1, n/100) {
		run(&countdown{context.Background(), at})
	}
}
