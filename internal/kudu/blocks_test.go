package kudu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

func (s *madeServer) blocks(o DirOptions) *Blocks {
	s.t.Helper()
	if o.Wal == "" && o.Data == nil {
		o.Wal = s.path("wal")
	}
	d, err := OpenDirs(o)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := OpenBlocks(context.Background(), d)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func content(t testing.TB, src arrowio.Source) string {
	t.Helper()
	b := make([]byte, src.Size())
	if n, err := src.ReadAt(b, 0); n < len(b) {
		t.Fatal(err)
	}
	return string(b)
}

// good fails unless the block can be opened and is what madeServer put there.
func (b *Blocks) good(t testing.TB, id uint64) {
	t.Helper()
	src, c, err := b.Open(id)
	if err != nil {
		t.Errorf("block %d: %v", id, err)
		return
	}
	if got := content(t, src); got != string(madeBlock(id)) || !arrowio.Near(src) || !b.Has(id) {
		t.Errorf("block %d: %q, near %t, has %t", id, got, arrowio.Near(src), b.Has(id))
	}
	if err := errors.Join(c.Close(), b.Check(id)); err != nil {
		t.Errorf("block %d: %v", id, err)
	}
}

// bad fails unless opening or checking the block is a corruption whose text has all the words.
func (b *Blocks) bad(t testing.TB, id uint64, words ...string) {
	t.Helper()
	if err := b.Check(id); !errors.Is(err, errs.ErrCorrupt) || !noted([]string{err.Error()}, append(words, kuduwire.BlockName(id))...) {
		t.Errorf("block %d: %v", id, err)
	}
}

func TestLogBlocks(t *testing.T) {
	s := newServer(t, "server", "d0", "d1")
	s.wal("wal")
	s.data("data", "log", 0)
	s.data("more", "log", 1)
	s.container("data", "aa", []uint64{10, 11, 12}, deleteBlock(11))
	s.container("data", "bb", []uint64{1, 3, 2})
	s.container("more", "aa", []uint64{1 << 60, 7})
	s.container("more", "empty", nil)
	b := s.blocks(DirOptions{Wal: s.path("wal"), Data: []string{s.path("data"), s.path("more")}})
	ids, err := b.IDs(context.Background())
	if err != nil || !slices.Equal(ids, []uint64{1, 2, 3, 7, 10, 12, 1 << 60}) || len(b.Notes()) > 0 {
		t.Errorf("%v, %v, %v", ids, err, b.Notes())
	}
	for _, id := range ids {
		b.good(t, id)
	}
	for _, id := range []uint64{0, 11, 13, 1<<60 + 1} {
		b.bad(t, id, "not in", s.path("data", "data"), s.path("more", "data"))
		if _, _, err := b.Open(id); !errors.Is(err, fs.ErrNotExist) || b.Has(id) {
			t.Errorf("block %d: %v", id, err)
		}
	}
	if w := b.Where(12); !strings.Contains(w, s.path("data", "data", "aa.data")) || !strings.Contains(w, "at 8192") {
		t.Error(w)
	}
	if w := b.Where(11); !strings.Contains(w, "not in") {
		t.Error(w)
	}
}

// A container's file is open once, for as long as one of its blocks is.
func TestLogBlocksShareFile(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	s.container("data", "aa", []uint64{10, 11})
	b := s.blocks(DirOptions{})
	first, c1, err1 := b.Open(10)
	second, c2, err2 := b.Open(11)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	c := b.log.containers[0]
	if c.refs != 2 {
		t.Fatalf("%d", c.refs)
	}
	for range 3 { // closing twice is closing once
		if err := c1.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if c.refs != 1 || content(t, second) != string(madeBlock(11)) {
		t.Errorf("%d", c.refs)
	}
	if err := b.Close(); err != nil { // what is open stays open
		t.Fatal(err)
	}
	if content(t, second) != string(madeBlock(11)) {
		t.Error("closed with Blocks")
	}
	if err := c2.Close(); err != nil || c.refs != 0 || c.f != nil {
		t.Errorf("%d, %v", c.refs, err)
	}
	if _, err := first.ReadAt(make([]byte, 4), 0); err == nil {
		t.Error("still open")
	}
	// By many at once.
	b = s.blocks(DirOptions{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				b.good(t, 10+uint64(i%2))
			}
		})
	}
	wg.Wait()
	if c := b.log.containers[0]; c.refs != 0 || c.f != nil {
		t.Errorf("%d left open", c.refs)
	}
}

func TestLogBlocksDamaged(t *testing.T) {
	s := newServer(t, "server", "d0", "gone")
	s.wal("wal")
	s.data("data", "log", 0)
	edit := func(name string, f func(b []byte) []byte) {
		path := s.path("data", "data", name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s.write(f(b), "data", "data", name)
	}
	remove := func(name string) {
		if err := os.Remove(s.path("data", "data", name)); err != nil {
			t.Fatal(err)
		}
	}
	s.container("data", "torn", []uint64{10, 11})
	edit("torn.metadata", func(b []byte) []byte { return b[:len(b)-3] })
	s.container("data", "zeros", []uint64{20})
	edit("zeros.metadata", func(b []byte) []byte { return append(b, make([]byte, 100)...) })
	s.container("data", "flipped", []uint64{30, 31, 32})
	edit("flipped.metadata", func(b []byte) []byte { // in the second of three records of the same size
		n := len(createBlock(31, made, int64(len(madeBlock(31))))) + 12
		b[len(b)-n-10] ^= 4
		return b
	})
	s.container("data", "nodata", []uint64{40})
	remove("nodata.data")
	s.container("data", "nodata-deleted", []uint64{41}, deleteBlock(41))
	remove("nodata-deleted.data")
	s.container("data", "norecords", []uint64{50})
	remove("norecords.metadata")
	s.write(nil, "data", "data", "justmade.data")
	s.write(nil, "data", "data", "begun.metadata")
	s.write(nil, "data", "data", "begun.data")
	s.container("data", "wiped", []uint64{55})
	s.write(nil, "data", "data", "wiped.metadata")
	s.container("data", "short", []uint64{60, 61})
	edit("short.data", func(b []byte) []byte { return b[:len(b)-1] })
	s.container("data", "twice", []uint64{70}, createBlock(70, made, 10))
	s.container("data", "one", []uint64{80, 81})
	s.container("data", "other", []uint64{80})
	s.container("data", "senseless", []uint64{90}, createBlock(91, -1, 10), createBlock(92, 1<<62, 1<<62), deleteBlock(93))
	s.container("data", "punched", []uint64{95})
	edit("punched.data", func(b []byte) []byte { return make([]byte, len(b)) })
	s.container("data", "nocfile", nil, createBlock(96, 0, 4), createBlock(97, 0, 10), createBlock(98, 0, 0))
	s.write([]byte("0123456789"), "data", "data", "nocfile.data")
	s.write([]byte("no container at all"), "data", "data", "strange.metadata")
	s.write([]byte("x"), "data", "data", ".kudutmp.metadata")
	s.write([]byte("x"), "data", "data", "readme")
	if err := os.Mkdir(s.path("data", "data", "folder.metadata"), 0o700); err != nil {
		t.Fatal(err)
	}

	b := s.blocks(DirOptions{})
	for _, id := range []uint64{10, 20, 30, 32, 60, 81, 90} {
		b.good(t, id)
	}
	b.bad(t, 11, "damaged", "gone")
	b.bad(t, 31, "damaged", "flipped")
	b.bad(t, 40, "no data file", "nodata.data")
	b.bad(t, 50, "damaged")
	b.bad(t, 55, "damaged")
	b.bad(t, 61, "short.data", "lost its end")
	b.bad(t, 70, "say it twice", "twice.metadata")
	b.bad(t, 80, "several places", "one.data", "other.data")
	b.bad(t, 91, "do not say")
	b.bad(t, 92, "do not say")
	b.bad(t, 95, "zeros")
	b.bad(t, 96, "4 bytes")
	b.bad(t, 97, "01234567")
	b.bad(t, 98, "0 bytes")
	if b.Has(80) || b.Has(41) || b.Has(93) {
		t.Error("has blocks that it cannot tell")
	}
	for _, words := range [][]string{
		{"could not be read", "3 of", "strange.metadata", "folder.metadata", "wiped.metadata"},
		{"data without records", "1 of", "norecords"},
		{"no data file", "1 of", "nodata"},
		{"passed over", "1 of", "flipped"},
		{"torn", "3 of", "begun", "zeros"}, // wiped.metadata is told of once
		{"created twice", "1 of", "twice"},
		{"not there", "1 of", "senseless"},
		{"in several containers", "0000000000000080"},
	} {
		if !noted(b.Notes(), words...) {
			t.Errorf("no note with %q", words)
		}
	}
	if len(b.Notes()) != 8 || t.Failed() {
		t.Errorf("notes:\n%s", strings.Join(b.Notes(), "\n"))
	}

	s.superBlock("wal", madeTablet, 10, 11, 20, 80)
	d := b.dirs
	sb, err := d.SuperBlock(madeTablet)
	if err != nil {
		t.Fatal(err)
	}
	var lost []kuduwire.BlockUse
	for _, u := range sb.Blocks() {
		if b.Check(u.Block) != nil {
			lost = append(lost, u)
		}
	}
	if len(lost) != 2 || lost[0].Block != 11 || lost[0].Column != 1 || lost[1].Block != 80 {
		t.Errorf("%v", lost)
	}

	s.write([]byte("kuduenc\x01 and more"), "data", "data", "secret.metadata")
	if _, err := OpenBlocks(context.Background(), d); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("encrypted: %v", err)
	}
}

func TestFileBlocks(t *testing.T) {
	s := newServer(t, "server", "d0", "d1")
	s.wal("wal")
	s.data("data", "file", 0)
	s.data("more", "file", 1)
	put := func(dir string, id uint64) {
		d := DataDir{Path: s.path(dir, "data")}
		path := BlockPath(&d, id)
		s.write(madeBlock(id), strings.TrimPrefix(path, s.root))
	}
	// Real ones: of a server whose only directory is the first, and as such a server would number its second.
	const first, second = 24366458335372, 1<<48 | 24366458335373
	put("data", first)
	put("more", second)
	put("data", 5)
	put("more", 5)
	if _, err := os.Stat(s.path("data", "data", "16", "29", "42", "0024366458335372")); err != nil {
		t.Fatal(err)
	}
	s.write(nil, "data", "data", "16", "29", "42", "24366458335374")   // not padded
	s.write(nil, "data", "data", "16", "29", "43", "0024366458335375") // in another's folder
	s.write(nil, "data", "data", "16", "29", "42", "0024366458335376.tmp")
	b := s.blocks(DirOptions{Wal: s.path("wal"), Data: []string{s.path("data"), s.path("more")}})
	ids, err := b.IDs(context.Background())
	if err != nil || !slices.Equal(ids, []uint64{5, first, second}) || len(b.Notes()) > 0 {
		t.Errorf("%v, %v", ids, err)
	}
	b.good(t, first)
	b.good(t, second)
	b.bad(t, 5, "several places")
	b.bad(t, 2<<48|9, "directory 2 of the server")
	if w := b.Where(first); w != s.path("data", "data", "16", "29", "42", "0024366458335372") {
		t.Error(w)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.IDs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestBlocksOfNoDirectory(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	b := s.blocks(DirOptions{Wal: s.path("wal"), Salvage: true})
	if _, _, err := b.Open(1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if ids, err := b.IDs(context.Background()); err != nil || len(ids) > 0 {
		t.Errorf("%v, %v", ids, err)
	}
}

// Many containers, some blocks in each: all are found, and cancelling stops it.
func TestManyContainers(t *testing.T) {
	s := newServer(t, "server", "d0")
	manyContainers(s, 300, 5)
	b := s.blocks(DirOptions{})
	for id := uint64(1); id <= 1500; id += 7 {
		b.good(t, id)
	}
	if ids, _ := b.IDs(context.Background()); len(ids) != 1500 || ids[0] != 1 || ids[1499] != 1500 {
		t.Errorf("%d blocks", len(ids))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenBlocks(ctx, b.dirs); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func manyContainers(s *madeServer, containers, blocks int) {
	s.wal("wal")
	s.data("data", "log", 0)
	for c := range containers {
		var ids []uint64
		for i := range blocks {
			ids = append(ids, uint64(1+c+i*containers))
		}
		s.container("data", fmt.Sprintf("%032x", c), ids)
	}
}

func BenchmarkOpenBlocks(b *testing.B) {
	s := newServer(b, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	var records []protoMsg
	for i := range 100 {
		records = append(records, createBlock(uint64(1+i), int64(i)*made, 100))
	}
	meta := protoContainer("kudu.BlockRecordPB", records...)
	for c := range 2000 {
		s.write(meta, "data", "data", fmt.Sprintf("%032x.metadata", c))
		s.write(nil, "data", "data", fmt.Sprintf("%032x.data", c))
	}
	d, err := OpenDirs(DirOptions{Wal: s.path("wal")})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenBlocks(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2000, "µs/container")
}
