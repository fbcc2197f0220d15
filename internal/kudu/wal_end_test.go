package kudu

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const killedServer = "../../testdata/kudu/killed-1.17.1/"

// newKilledServer unpacks a real server that was killed, with the indexes of its logs. It returns how many rows a client has put in.
func newKilledServer(t *testing.T) (s *realServer, rows int64) {
	t.Helper()
	var m struct{ Rows int64 }
	fixtures.ReadJSON(t, killedServer+"manifest.json", &m)
	return &realServer{t, fixtures.Unpack(t, killedServer+"killed.tar.gz")}, m.Rows
}

// readThrough opens the only table of a server and returns the rows that it has and the warnings.
func (s *realServer) readThrough(options ...string) (int64, []arrowio.Warning) {
	s.t.Helper()
	f, w := s.warningsOf(options...)
	return f.rows(), w
}

// warned returns the texts of warnings.
func warned(w []arrowio.Warning) (out []string) {
	for _, x := range w {
		out = append(out, x.Text)
	}
	return out
}

// A killed server leaves its log open. The log's index says where it ends, so that nothing is doubtful.
func TestKilledServer(t *testing.T) {
	s, want := newKilledServer(t)
	for _, options := range [][]string{nil, {"kudu-salvage=true"}} {
		if rows, w := s.readThrough(options...); rows != want || len(w) > 0 {
			t.Errorf("%s: %d rows of %d, %+v", options, rows, want, w)
		}
	}
	if faults := s.verify(); len(faults) > 0 {
		t.Errorf("verify: %q", faults)
	}
}

// Where the end of the log was overwritten with zeros, or cut off, each operation that is missing is told as a loss, because the log's index
// has its place. Without the index, what cannot be told is a warning.
func TestLogEnds(t *testing.T) {
	s, want := newKilledServer(t)
	logs, err := filepath.Glob(s.path("wal", "wals", "*", segmentName(1)))
	if err != nil || len(logs) != 2 {
		t.Fatal(logs, err)
	}
	path := logs[0]
	index := filepath.Join(filepath.Dir(path), "index.000000000")
	whole := fixtures.Read(t, path)
	kept := fixtures.Read(t, index)
	used := int64(len(bytes.TrimRight(whole, "\x00")))
	head, err := parseSegment(segmentName(1), local.NewBytesSource(whole))
	if err != nil {
		t.Fatal(err)
	}
	edges := map[int64]bool{}
	sr := segmentReader{ctx: t.Context(), limit: 1 << 20, bound: &memoryBound{limit: 1 << 30}, report: &logReport{}}
	if _, err := sr.read(head, local.NewBytesSource(whole), func(_ *batch, off int64) error { edges[off] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry, lost, sound := 0, 0, 0
	for at := head.start; at <= used; at++ {
		if edges[at] {
			entry++
		}
		if !(edges[at] && (entry%7 == 0 || entry == len(edges))) && at%997 != 0 {
			continue
		}
		zeros := bytes.Clone(whole)
		clear(zeros[at:])
		for what, b := range map[string][]byte{"zeros": zeros, "cut": whole[:at]} {
			write(path, b)
			write(index, kept)
			rows, w := s.readThrough()
			l := lossesOf(w)
			if missing := rows < want; missing != (len(l) > 0) || rows > want {
				t.Fatalf("%s at %d: %d rows of %d, %+v", what, at, rows, want, w)
			}
			if faults := s.verify(); (len(faults) > 0) != (len(l) > 0) {
				t.Fatalf("%s at %d: %q", what, at, faults)
			}
			if len(l) == 0 {
				sound++
			} else if lost++; !anyHas(l, "as its index says", "on other replicas") {
				t.Fatalf("%s at %d: %q", what, at, l)
			}
			// Without the index.
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
			if _, w = s.readThrough("kudu-salvage=true"); len(lossesOf(w)) == 0 && !anyHas(warned(w), "not closed", "index.*", "whether more operations followed") {
				t.Fatalf("%s at %d, without the index: %+v", what, at, w)
			}
			// The other tablet shows how large an open segment is.
			if l := lossesOf(w); (what == "cut") != (len(l) > 0) || len(l) > 0 && !anyHas(l, "sets aside 1048576", "cut off") {
				t.Fatalf("%s at %d, without the index: %+v", what, at, w)
			}
		}
	}
	if lost == 0 || sound == 0 {
		t.Errorf("%d cases with losses, %d without", lost, sound)
	}
	// An index that is damaged proves nothing.
	write(path, whole)
	for _, b := range [][]byte{nil, {1, 2, 3, 4}, bytes.Repeat([]byte{0xff}, 4096), bytes.Repeat([]byte("garbage"), 700), make([]byte, 4096)} {
		write(index, b)
		if rows, w := s.readThrough(); rows != want || len(w) > 0 {
			t.Errorf("index of %.8q: %d rows, %+v", b, rows, w)
		}
		if _, w := s.readThrough("kudu-salvage=true"); len(lossesOf(w)) > 0 || !anyHas(warned(w), "whether more operations followed") {
			t.Errorf("index of %.8q, salvaged: %+v", b, w)
		}
	}
}

// indexOf makes an index of a log from the places of operations 1 and up.
func indexOf(entries ...kuduwire.LogIndexEntry) []byte {
	b := make([]byte, kuduwire.LogIndexEntrySize)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Term))
		b = binary.LittleEndian.AppendUint64(b, e.Segment)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Offset))
	}
	return append(b, make([]byte, 4096)...)
}

// The index of a log that was cut behind its third operation.
func TestIndexOfLog(t *testing.T) {
	const index = "index.000000000"
	segment := func() *madeSegment {
		s := newSegment(1, blockcodec.None, false, schemaOf(madeColumns, true), 0)
		for k := range int64(3) {
			s.add(writeOp(k+1, rowOp(kuduwire.RowInsert, int(k+1), int32(k)))).add(doneOp(k+1, inMRS(0)))
		}
		return s
	}
	s := segment()
	offs := s.batches(t)
	at := func(term int64, segment uint64, off int64) kuduwire.LogIndexEntry {
		return kuduwire.LogIndexEntry{Term: term, Segment: segment, Offset: off}
	}
	end := offs[len(offs)-1]
	three := []kuduwire.LogIndexEntry{at(1, 1, offs[0]), at(1, 1, offs[2]), at(1, 1, offs[4])}
	for _, c := range []struct {
		what  string
		index []byte
		ops   int64
		tells string
	}{
		{"the same", indexOf(three...), 0, ""},
		{"one more", indexOf(append(three[:3:3], at(1, 1, end))...), 1, "operation 1.4 was in the log"},
		{"in later segments", indexOf(append(three[:3:3], at(1, 1, end+100), at(2, 2, 90), at(2, 2, 190))...), 3, "3 operations, 1.4 to 2.6, were"},
		{"replaced by a later term, which is missing", indexOf(three[0], at(2, 1, end), at(2, 1, end+90)), 2, "2 operations, 2.2 to 2.3, were"},
		{"left over from operations that were replaced", indexOf(append(three[:3:3], at(1, 1, offs[3]))...), 0, ""},
		{"of an earlier term", indexOf(append(three[:3:3], at(0, 1, end))...), 0, ""},
		{"far ahead", indexOf(append(three[:3:3], at(1<<40, 1, end))...), 0, ""},
		{"not written", indexOf(), 0, "open"},
		{"short", indexOf(three...)[:70], 0, "open"},
	} {
		l := newLog(t, segment())
		l.files[index] = c.index
		st := l.must(t, replayOptions{})
		switch {
		case st.lostOps != c.ops || len(st.lost) > 0 != (c.ops > 0) || c.ops > 0 && !anyHas(st.lost, c.tells):
			t.Errorf("%s: %d operations lost, want %d: %q", c.what, st.lostOps, c.ops, st.lost)
		case (st.open != "") != (c.tells == "open"):
			t.Errorf("%s: open %q", c.what, st.open)
		}
	}
	// A log that was closed is whole without an index.
	if st := newLog(t, segment().close()).must(t, replayOptions{}); st.open != "" || len(st.lost) > 0 {
		t.Errorf("closed: %q, %q", st.open, st.lost)
	}
	// A log without operations: all that the index has is lost.
	l := newLog(t, newSegment(1, blockcodec.None, false, schemaOf(madeColumns, true), 0))
	l.files[index] = indexOf(three...)
	if st := l.must(t, replayOptions{}); st.lostOps != 3 || !anyHas(st.lost, "has no operation") {
		t.Errorf("no operations: %q", st.lost)
	}
	// A later file of the index.
	l = newLog(t, segment())
	l.files[index], l.files["index.000000001"] = indexOf(three...), indexOf(at(1, 1, end))
	if st := l.must(t, replayOptions{}); len(st.lost) > 0 {
		t.Errorf("entries that do not follow: %q", st.lost)
	}
}

// The consensus metadata tells of an operation that the log does not have.
func TestConfigBehindLog(t *testing.T) {
	s, _ := newKilledServer(t)
	metas, err := filepath.Glob(s.path("wal", "consensus-meta", "*"))
	if err != nil || len(metas) != 2 {
		t.Fatal(metas, err)
	}
	s.edit(metas[0], func(b []byte) []byte {
		c, err := kuduwire.OpenContainer(b)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := c.Next()
		if !ok {
			t.Fatal(c.Err)
		}
		return protoContainer(c.Type, eachField(t, bytes.Clone(m), 1, func(_ int, v []byte) []byte {
			return withoutField(t, v, 1).num(1, 5000)
		}))
	})
	if _, w := s.readThrough(); !anyHas(lossesOf(w), "tablet "+filepath.Base(metas[0]), "index 5000", "later operations are lost") {
		t.Errorf("%+v", w)
	}
	if faults := s.verify(); !anyHas(faults, "index 5000") {
		t.Errorf("%q", faults)
	}
}

// A server that alone decides what is committed begins each term with an operation, which the log then has.
func TestTermBehindLog(t *testing.T) {
	s, want := newKilledServer(t)
	metas, err := filepath.Glob(s.path("wal", "consensus-meta", "*"))
	if err != nil || len(metas) != 2 {
		t.Fatal(metas, err)
	}
	s.edit(metas[0], func(b []byte) []byte {
		c, err := kuduwire.OpenContainer(b)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := c.Next()
		if !ok {
			t.Fatal(c.Err)
		}
		return protoContainer(c.Type, withoutField(t, bytes.Clone(m), 2).num(2, 7))
	})
	if rows, w := s.readThrough(); rows != want || len(w) > 0 { // the index proves that it was not begun
		t.Errorf("%d rows, %+v", rows, w)
	}
	if err := os.Remove(s.path("wal", "wals", filepath.Base(metas[0]), "index.000000000")); err != nil {
		t.Fatal(err)
	}
	if rows, w := s.readThrough(); rows != want || len(lossesOf(w)) > 0 || !anyHas(warned(w), "tablet "+filepath.Base(metas[0]), "of term 7", "end may be missing") {
		t.Errorf("without the index: %d rows, %+v", rows, w)
	}
}
