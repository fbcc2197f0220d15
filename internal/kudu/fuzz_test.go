package kudu

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// fuzzServer is a small server, one part of which a fuzz target replaces.
type fuzzServer struct {
	*tableServer
	x      *madeTable
	super  protoMsg
	blocks [][]byte // without checksums, so that changes reach what is behind them
}

func newFuzzServer(tb testing.TB) *fuzzServer {
	tb.Helper()
	s := &fuzzServer{tableServer: newTableServer(tb)}
	s.x = newTable(tb, rand.New(rand.NewSource(5)), history{keys: 2, columns: 4, tablets: 1, steps: 60, span: 12})
	var rowsets []protoMsg
	for i, rs := range s.x.tablets[0].rowsets {
		b := s.x.files(rs)
		files := append(append([]*madeFile{b.index, b.bloom}, b.redo...), b.undo...)
		for _, f := range b.columns {
			files = append(files, f)
		}
		for _, f := range files {
			f.unsummed = true
		}
		rowsets = append(rowsets, s.rowset(int64(i), b))
	}
	s.super = s.x.superPB(madeTablet, rowsets...)
	for id := uint64(1); id < s.next; id++ {
		at := s.tableServer.blocks[id]
		s.blocks = append(s.blocks, bytes.Clone(s.data[at.Off:at.Off+at.Len]))
	}
	s.finish()
	s.put(0, s.super)
	return s
}

// put replaces the superblock's message, or, from 1 on, a block, in memory.
func (s *fuzzServer) put(part int, b []byte) Options {
	super := s.super
	if part == 0 {
		super = b
	}
	s.write(protoContainer("kudu.tablet.TabletSuperBlockPB", super), "wal", "tablet-meta", madeTablet)
	return Options{
		sizes: sizes{rows: 9, bytes: 1 << 20, updates: 1 << 20, kept: 2},
		through: func(id uint64, src arrowio.Source) arrowio.Source {
			if id == uint64(part) {
				return local.NewBytesSource(b)
			}
			return src
		},
	}
}

// FuzzTablet reads a tablet one of whose files is anything: rows or an error of data, with salvaging and without, and what
// reading it took is given back.
func FuzzTablet(f *testing.F) {
	s := newFuzzServer(f)
	f.Add(uint8(0), []byte(s.super), uint64(0), false)
	for i, b := range s.blocks {
		f.Add(uint8(i+1), b, uint64(i)*1015%s.x.now, i%2 == 0)
	}
	limits := arrowio.Limits{MetadataBytes: 1 << 20, BlockBytes: 1 << 20, BatchBytes: 16 << 20, SplitBytes: 16 << 20}
	f.Fuzz(func(t *testing.T, part uint8, b []byte, snapshot uint64, salvage bool) {
		s.t = t
		o := s.put(int(part)%(len(s.blocks)+1), b)
		o.Snapshot, o.Salvage, o.StringsBinary = snapshot, salvage, snapshot%2 == 0
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		table, err := Open(context.Background(), s.path("wal"), limits, o)
		if err != nil {
			checkFuzzed(t, err)
			return
		}
		defer table.Close()
		rows := int64(0)
		err = conformance.Everything(table, mem, 50, func(r arrow.Record) error {
			if rows += r.NumRows(); rows > 10_000 {
				return errEnough
			}
			return conformance.ValidateRecord(r)
		})
		if err != nil && !errors.Is(err, errEnough) {
			checkFuzzed(t, err)
		}
	})
}

var errEnough = errors.New("enough rows")

// checkFuzzed tests that an error is one of data, and says so.
func checkFuzzed(t *testing.T, err error) {
	t.Helper()
	var e *errs.Error
	switch {
	case !errors.As(err, &e) || e.Kind == 0 || e.Kind == errs.ErrOption || errors.Is(err, errs.ErrInternal):
		t.Errorf("%v: an error of what kind?", err)
	case e.Error() == "":
		t.Error("an error without words")
	}
}
