package kudu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/blockcodec"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// A log of three segments with an insert and its COMMIT in each batch: operations 1 to 3, 4 to 6, and 7 to 9.
func threeSegments() []*madeSegment {
	var segs []*madeSegment
	for i := range int64(3) {
		s := newSegment(i+1, blockcodec.None, false, schemaOf(madeColumns, true), 0)
		for k := range int64(3) {
			index := i*3 + k + 1
			s.add(writeOp(index, rowOp(kw.RowInsert, int(index), int32(index)))).add(doneOp(index, inMRS(0)))
		}
		if i < 2 {
			s.close()
		}
		segs = append(segs, s)
	}
	return segs
}

// batches returns the offsets at which a segment's batches begin, and where the last one ends.
func (s *madeSegment) batches(tb testing.TB) []int64 {
	tb.Helper()
	src := local.NewBytesSource(s.b)
	f, err := parseSegment(segmentName(1), src)
	if err != nil {
		tb.Fatal(err)
	}
	var offs []int64
	sr := segmentReader{ctx: context.Background(), limit: 1 << 20, bound: &memoryBound{limit: 1 << 30}, report: &logReport{}}
	if _, err := sr.read(f, src, func(_ *batch, off int64) error { offs = append(offs, off); return nil }); err != nil {
		tb.Fatal(err)
	}
	end := int64(len(s.b))
	if i := bytes.LastIndex(s.b, []byte("closedls")); i > 0 {
		end = int64(i) - 4 // the footer: two fields of one byte
	}
	return append(offs, end)
}

func logKeys(t *testing.T, st *logState) string {
	t.Helper()
	var ks []string
	for _, s := range st.text(t) {
		k, _, _ := strings.Cut(s, " ")
		ks = append(ks, k)
	}
	return strings.Join(ks, " ")
}

func TestDamage(t *testing.T) {
	at := threeSegments()
	offs := [][]int64{at[0].batches(t), at[1].batches(t), at[2].batches(t)}
	flip := func(b []byte, i int64) []byte { b[i] ^= 0x10; return b }
	for _, c := range []struct {
		what    string
		edit    func(l *madeLog, s []*madeSegment)
		sound   string // keys of what is read anyway, with a note; "" = an error
		salvage string // keys of what a salvage reads
		ops     int64  // operations that it counts as lost
		tells   string // among what it tells
	}{
		{"body of an entry, closed", func(_ *madeLog, s []*madeSegment) { flip(s[0].b, offs[0][2]+20) }, "", "1 3 4 5 6 7 8 9", 1, "operation 1.2"},
		{"body of an entry, others follow", func(_ *madeLog, s []*madeSegment) { flip(s[2].b, offs[2][2]+20) }, "", "1 2 3 4 5 6 7 9", 1, "operation 1.8"},
		{"body of a COMMIT, others follow", func(_ *madeLog, s []*madeSegment) { flip(s[2].b, offs[2][1]+20) }, "", "1 2 3 4 5 6 7 8 9", 0, "cannot be read"},
		{"head of an entry, others follow", func(_ *madeLog, s []*madeSegment) { flip(s[2].b, offs[2][2]) }, "", "1 2 3 4 5 6 7 9", 1, "1 operation between 1.7 and 1.9"},
		{"head of an entry, closed", func(_ *madeLog, s []*madeSegment) { flip(s[1].b, offs[1][0]+5) }, "", "1 2 3 5 6 7 8 9", 1, "operation 1.4"},
		{"last entry of a closed segment", func(_ *madeLog, s []*madeSegment) { flip(s[1].b, offs[1][5]) }, "", "1 2 3 4 5 6 7 8 9", 0, "cannot be read"},
		{"last entry", func(_ *madeLog, s []*madeSegment) { flip(s[2].b, offs[2][5]+20) }, "1 2 3 4 5 6 7 8 9", "", 0, "not a whole entry"},
		{"last REPLICATE", func(_ *madeLog, s []*madeSegment) { s[2].b = s[2].b[:offs[2][4]+18] }, "1 2 3 4 5 6 7 8", "", 0, "wal-000000003 ends in 18 bytes that are not a whole entry"},
		{"last REPLICATE, cut in its head", func(_ *madeLog, s []*madeSegment) { s[2].b = s[2].b[:offs[2][4]+7] }, "1 2 3 4 5 6 7 8", "", 0, "wal-000000003 ends in 7 bytes that are not a whole entry"},
		{"last REPLICATE, zeros from its middle on", func(_ *madeLog, s []*madeSegment) { clear(s[2].b[offs[2][4]+40:]) }, "1 2 3 4 5 6 7 8", "", 0, "not a whole entry"},
		{"preallocated", func(_ *madeLog, s []*madeSegment) { s[2].b = append(s[2].b, make([]byte, 100_000)...) }, "1 2 3 4 5 6 7 8 9", "", 0, ""},
		{"zeros, then more", func(_ *madeLog, s []*madeSegment) { s[2].b = append(append(s[2].b, make([]byte, 100_000)...), 1) }, "1 2 3 4 5 6 7 8 9", "", 0, "not a whole entry"},
		{"garbage at the end", func(_ *madeLog, s []*madeSegment) { s[2].b = append(s[2].b, strings.Repeat("garbage", 99)...) }, "1 2 3 4 5 6 7 8 9", "", 0, "not a whole entry"},
		{"an entry of another type", func(_ *madeLog, s []*madeSegment) { s[2].add(protoMsg{}.num(1, 7)) }, "1 2 3 4 5 6 7 8 9", "", 0, "entry type 7"},
		{"a huge claim", func(_ *madeLog, s []*madeSegment) { s[2].raw(make([]byte, 64), 1<<30) }, "1 2 3 4 5 6 7 8 9", "", 0, "cannot become"},
		{"no footer magic", func(_ *madeLog, s []*madeSegment) { flip(s[1].b, int64(len(s[1].b))-8) }, "1 2 3 4 5 6 7 8 9", "", 0, "no operation is missing, because wal-000000003 goes on with operation 1.7"},
		{"zeros behind a footer", func(_ *madeLog, s []*madeSegment) { s[1].b = append(s[1].b, make([]byte, 50)...) }, "1 2 3 4 5 6 7 8 9", "", 0, "no operation is missing, because wal-000000003 goes on with operation 1.7"},
		{"a footer that is too long", func(_ *madeLog, s []*madeSegment) { s[1].b[len(s[1].b)-2] = 1 }, "", "1 2 3 4 5 6 7 8 9", 0, "the footer cannot be read"},
		{"a footer that miscounts", func(_ *madeLog, s []*madeSegment) { s[1].b[offs[1][6]+1]++ }, "", "1 2 3 4 5 6 7 8 9", 0, "the footer counts 7 entries"},
		{"cut before a COMMIT", func(_ *madeLog, s []*madeSegment) { s[1].b = s[1].b[:offs[1][5]] }, "1 2 3 4 5 6 7 8 9", "", 0, ""},
		{"cut in a REPLICATE", func(_ *madeLog, s []*madeSegment) { s[1].b = s[1].b[:offs[1][2]+30] }, "", "1 2 3 4", 5, "1.7 to 1.9 (3 rows)"},
		{"cut in a REPLICATE, told", func(_ *madeLog, s []*madeSegment) { s[1].b = s[1].b[:offs[1][2]+30] }, "", "1 2 3 4", 5, "wal-000000002 ends in 30 bytes that are not a whole entry, from byte " + strconv.FormatInt(offs[1][2], 10)},
		{"no first segment", func(l *madeLog, _ []*madeSegment) { delete(l.files, segmentName(1)) }, "4 5 6 7 8 9", "", 0, "begins with operation 1.4"},
		{"no middle segment", func(l *madeLog, _ []*madeSegment) { delete(l.files, segmentName(2)) }, "", "1 2 3", 6, "1 segment missing"},
		{"no last segment", func(l *madeLog, _ []*madeSegment) { delete(l.files, segmentName(3)) }, "1 2 3 4 5 6", "", 0, "is closed"},
		{"middle segment zero", func(_ *madeLog, s []*madeSegment) { clear(s[1].b[:12]) }, "", "1 2 3", 6, "is not read"},
		{"last segment empty", func(_ *madeLog, s []*madeSegment) { s[2].b = nil }, "", "1 2 3 4 5 6", 0, "too short"},
		{"last segment cut short", func(_ *madeLog, s []*madeSegment) { s[2].b = s[2].b[:30] }, "", "1 2 3 4 5 6", 0, "its header cannot be read"},
		{"magic", func(_ *madeLog, s []*madeSegment) { flip(s[1].b, 3) }, "", "1 2 3", 6, "its header cannot be read"},
		{"a copy", func(l *madeLog, s []*madeSegment) { l.files["wal-000000099"] = s[1].b }, "", "1 2 3 4 5 6 7 8 9", 0, "wal-000000099 is left out"},
		{"a file of another name", func(l *madeLog, _ []*madeSegment) { l.files["wal-000000001.bak"] = []byte("no segment") }, "1 2 3 4 5 6 7 8 9", "", 0, "wal-000000001.bak is not read"},
		{"a copy under another name", func(l *madeLog, s []*madeSegment) { l.files["wal-000000002.bak"] = s[1].b }, "1 2 3 4 5 6 7 8 9", "", 0, "wal-000000002.bak is not read"},
		{"a copy of a segment that the server has deleted", func(l *madeLog, s []*madeSegment) {
			delete(l.files, segmentName(1))
			l.files["wal-000000001.old"] = s[0].b
		}, "4 5 6 7 8 9", "", 0, "wal-000000001.old is not read"},
		{"another number", func(l *madeLog, s []*madeSegment) {
			s[1].b = bytes.Replace(s[1].b, protoMsg{}.num(6, 2), protoMsg{}.num(6, 3), 1)
		}, "", "1 2 3 4 5 6 7 8 9", 0, "its name is believed"},
		{"a feature", func(l *madeLog, _ []*madeSegment) {
			h := newSegment(3, blockcodec.None, false, schemaOf(madeColumns, true), 0).b
			h = append(h, protoMsg{}.num(10, 5)...)
			h[8] += 2
			l.files[segmentName(3)] = h
		}, "", "1 2 3 4 5 6", 0, "feature"},
		{"another tablet", func(_ *madeLog, s []*madeSegment) { s[1].b[15] ^= 1 }, "1 2 3 4 5 6 7 8 9", "", 0, "names another tablet"},
		{"encrypted", func(_ *madeLog, s []*madeSegment) { copy(s[2].b, "kuduenc1") }, "", "1 2 3 4 5 6", 0, "encrypted"},
	} {
		segs := threeSegments()
		l := newLog(t, segs...)
		c.edit(l, segs)
		for i, s := range segs {
			if _, ok := l.files[segmentName(i+1)]; ok && !strings.Contains(c.what, "feature") {
				l.files[segmentName(i+1)] = s.b
			}
		}
		st, err := l.replay(t, replayOptions{})
		if c.sound == "" {
			var e *errs.Error
			if !errors.As(err, &e) || e.Kind != errs.ErrCorrupt && e.Kind != errs.ErrUnsupported || !strings.Contains(err.Error(), "wal-00000000") {
				t.Errorf("%s: %v", c.what, err)
			}
			if st, err = l.replay(t, replayOptions{Salvage: true}); err != nil {
				t.Errorf("%s: salvage: %v", c.what, err)
				continue
			}
			c.sound = c.salvage
		} else if err != nil || st.lost != nil {
			t.Errorf("%s: %v, lost %q", c.what, err, st.lost)
			continue
		}
		told := strings.Join(append(st.notes, st.lost...), "\n")
		if got := logKeys(t, st); got != c.sound || st.lostOps != c.ops || !strings.Contains(told, c.tells) || c.tells == "" && !strings.Contains(told, "are applied") && len(st.notes) > 0 {
			t.Errorf("%s: keys %s, want %s; %d operations lost, want %d; %q", c.what, got, c.sound, st.lostOps, c.ops, told)
		}
	}
}

// A file under a segment's name is there because the server has not deleted the segment, and a segment that others follow was closed. So what they lack
// is a loss, with and without a salvage, unless the operations before and behind it, or the index, tell that nothing is missing.
func TestUnreadSegments(t *testing.T) {
	offs := threeSegments()[1].batches(t)
	empty := func(n int) func(l *madeLog) { return func(l *madeLog) { l.files[segmentName(n)] = nil } }
	zeros := func(n int) func(l *madeLog) {
		return func(l *madeLog) { l.files[segmentName(n)] = make([]byte, len(l.files[segmentName(n)])) }
	}
	last := threeSegments()[2].batches(t)
	for _, c := range []struct {
		what   string
		edit   func(l *madeLog)
		failed string // the error without a salvage; "" = none
		keys   string
		lost   string // "" = nothing is
	}{
		{"first zero", zeros(1), "", "4 5 6 7 8 9", "wal-000000001 is not read: it begins with zeros"},
		{"first empty", empty(1), "too short", "4 5 6 7 8 9", "the log begins behind it"},
		{"middle zero", zeros(2), "segment 3 follows segment 1", "1 2 3", "1 segment missing"},
		{"middle empty", empty(2), "too short", "1 2 3", "1 segment missing"},
		{"last zero", zeros(3), "", "1 2 3 4 5 6", "wal-000000003 is not read: it begins with zeros"},
		{"last empty", empty(3), "too short", "1 2 3 4 5 6", "nothing tells how many they were"},
		{"last two zero", func(l *madeLog) { zeros(2)(l); zeros(3)(l) }, "", "1 2 3", "wal-000000002 is not read"},
		{"last zero, the index ends before it", func(l *madeLog) {
			zeros(3)(l)
			at := func(off int64, n uint64) kw.LogIndexEntry {
				return kw.LogIndexEntry{Term: 1, Segment: n, Offset: off}
			}
			first := threeSegments()[0].batches(t)
			l.files["index.000000000"] = indexOf(at(first[0], 1), at(first[2], 1), at(first[4], 1), at(offs[0], 2), at(offs[2], 2), at(offs[4], 2))
		}, "", "1 2 3 4 5 6", ""},
		{"last zero, the index goes on", func(l *madeLog) {
			zeros(3)(l)
			l.files["index.000000000"] = indexOf(kw.LogIndexEntry{Term: 1, Segment: 3, Offset: last[0]})
		}, "", "1 2 3 4 5 6", "as its index says"},
		{"a new file beside its segment", func(l *madeLog) { l.files["wal-0000000003"] = make([]byte, 100) }, "", "1 2 3 4 5 6 7 8 9", ""},
		{"the first was cut in its first operation", func(l *madeLog) {
			delete(l.files, segmentName(1))
			l.files[segmentName(2)] = l.files[segmentName(2)][:offs[0]+30]
		}, "", "7 8 9", "operations before 1.7 may be missing"},
		{"the first was cut behind its header", func(l *madeLog) {
			delete(l.files, segmentName(1))
			l.files[segmentName(2)] = l.files[segmentName(2)][:offs[0]]
		}, "", "7 8 9", "wal-000000002 ends at byte"},
		{"a segment was cut between operations, none follows", func(l *madeLog) {
			l.files[segmentName(2)] = l.files[segmentName(2)][:offs[4]]
			l.files[segmentName(3)] = l.files[segmentName(3)][:last[0]]
		}, "", "1 2 3 4 5", "no operation follows"},
		{"a segment was cut in an operation, none follows", func(l *madeLog) {
			l.files[segmentName(2)] = l.files[segmentName(2)][:offs[4]+30]
			l.files[segmentName(3)] = l.files[segmentName(3)][:last[0]]
		}, "", "1 2 3 4 5", "no operation follows"},
		{"a segment was cut before its last COMMIT", func(l *madeLog) { l.files[segmentName(2)] = l.files[segmentName(2)][:offs[5]] }, "", "1 2 3 4 5 6 7 8 9", ""},
	} {
		for _, salvage := range []bool{false, true} {
			l := newLog(t, threeSegments()...)
			c.edit(l)
			st, err := l.inMemory(replayOptions{Salvage: salvage})
			if err != nil {
				if salvage || c.failed == "" || !strings.Contains(err.Error(), c.failed) {
					t.Errorf("%s, salvage %t: %v", c.what, salvage, err)
				}
				continue
			}
			if !salvage && c.failed != "" {
				t.Errorf("%s: no error", c.what)
			}
			if got := logKeys(t, st); got != c.keys || (len(st.lost) > 0) != (c.lost != "") || c.lost != "" && !anyHas(st.lost, c.lost) {
				t.Errorf("%s, salvage %t: keys %s, want %s; lost %q", c.what, salvage, got, c.keys, st.lost)
			}
		}
	}
}

// Where operations change rows that are not there, and the log does not begin with the first operation, those before it are a loss, too.
func TestFirstOperationsLost(t *testing.T) {
	l := newLog(t, oneSegment(writeOp(9, rowOp(kw.RowUpdate, 1, int32(5))), doneOp(9, inMRS(0))))
	if st := l.must(t, replayOptions{Salvage: true}); !anyHas(st.lost, "begins with operation 1.9", "nothing tells how many") || !anyHas(st.lost, "changes a row that is not there") {
		t.Errorf("%q", st.lost)
	}
}

// A log may end anywhere: what was written before is there, and nothing else.
func TestTruncated(t *testing.T) {
	segs := threeSegments()
	last := segs[2].b
	offs := segs[2].batches(t)
	for n := offs[0]; n <= int64(len(last)); n++ {
		segs[2].b = last[:n]
		whole, _ := slices.BinarySearch(offs, n+1)
		want := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}[:6+whole/2]
		st, err := newLog(t, segs...).inMemory(replayOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := logKeys(t, st); got != strings.Join(want, " ") {
			t.Fatalf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

// Each byte of a segment, changed: the same rows, fewer of them, or an error that has a kind. A salvage always has an
// answer.
func TestFlipped(t *testing.T) {
	segs := threeSegments()
	all := logKeys(t, newLog(t, segs...).must(t, replayOptions{}))
	b := segs[1].b
	for i := range b {
		for _, x := range []byte{1, 0x80, b[i]} {
			segs[1].b = slices.Clone(b)
			segs[1].b[i] ^= x
			l := newLog(t, segs...)
			st, err := l.inMemory(replayOptions{})
			if err == nil {
				if got := logKeys(t, st); !strings.HasPrefix(all, got) {
					t.Errorf("byte %d ^ %x: %s", i, x, got)
				}
				continue
			}
			checkFault(t, err)
			if st, err = l.inMemory(replayOptions{Salvage: true}); err != nil {
				t.Errorf("byte %d ^ %x: salvage: %v", i, x, err)
			} else if len(st.notes)+len(st.lost) == 0 {
				t.Errorf("byte %d ^ %x: a salvage says nothing", i, x)
			}
		}
	}
}

func checkFault(t *testing.T, err error) {
	t.Helper()
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind == 0 || e.Kind == errs.ErrInternal || e.Kind == errs.ErrSchema || e.Format != "kudu" {
		t.Errorf("%v", err)
	}
}

// What is reported is bounded, and counted all the same.
func TestReportBounded(t *testing.T) {
	var r logReport
	for i := range int64(5000) {
		r.note("note %d", i)
		r.loseOp(kw.OpID{Term: 1, Index: 2 * i}, 3, noRow)
	}
	notes, lost := r.done()
	if len(notes) != maxReport+1 || len(lost) != maxReport+1 || r.ops != 5000 || r.rows != 15000 {
		t.Errorf("%d, %d, %d, %d", len(notes), len(lost), r.ops, r.rows)
	}
	if lost[maxReport] != fmt.Sprintf("and %d more losses", 5000-maxReport) {
		t.Error(lost[maxReport])
	}
}

func TestReplayCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := newLog(t, threeSegments()...)
	s := newServer(t, madeUUID)
	s.wal("wal")
	s.write(l.files[segmentName(1)], "wal", "wals", madeTablet, segmentName(1))
	if _, err := replay(ctx, &Dirs{Wal: s.path("wal")}, &l.super, nil, replayOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
