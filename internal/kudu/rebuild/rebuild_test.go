package rebuild

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// made is a made-up server: what is known of its blocks, and whose they really are.
type made struct {
	pieces []*Piece
	keys   map[*Piece]string // of a bloom filter, a key index or a column: which rowset's it has
	next   uint64
}

func newMade() *made { return &made{keys: map[*Piece]string{}, next: 100} }

func (m *made) put(p *Piece) *Piece {
	p.ID, p.Seq = m.next, m.next
	m.next++
	m.pieces = append(m.pieces, p)
	return p
}

var columnTypes = map[byte]cfilewire.DataType{'i': cfilewire.Int32, 'l': cfilewire.Int64, 's': cfilewire.String, 'b': cfilewire.Bool, 'd': cfilewire.Double}

// column is one of the type that a letter stands for; a capital letter means that it may be null.
func (m *made) column(letter byte, rows int64) *Piece {
	p := &Piece{Kind: cfilewire.ColumnFile, Type: columnTypes[letter|0x20], Nullable: letter < 'a', Rows: rows}
	return m.put(p)
}

// writer writes the blocks of a rowset one by one.
type writer struct {
	m     *made
	name  string
	rows  int64
	keys  int
	steps []byte
	done  []*Piece
}

// flush is a rowset that is being written: its columns, then the bloom filter B, the key index X, the UNDO file U and the id of
// an empty REDO file, which is deleted.
func (m *made) flush(name string, keys int, columns string, rows int64) *writer {
	steps := columns + "\x01"
	if keys > 1 {
		steps += "\x02"
	}
	return &writer{m: m, name: name, rows: rows, keys: keys, steps: []byte(steps + "\x03\x04")}
}

func (w *writer) step(n int) *writer {
	for ; n > 0 && len(w.steps) > 0; n-- {
		s := w.steps[0]
		w.steps = w.steps[1:]
		var p *Piece
		switch s {
		case 1:
			p = w.m.put(&Piece{Kind: cfilewire.BloomFile, Type: cfilewire.Binary})
			w.m.keys[p] = w.name
		case 2:
			p = w.m.put(&Piece{Kind: cfilewire.KeyIndexFile, Type: cfilewire.Binary, Rows: w.rows})
			w.m.keys[p] = w.name
		case 3:
			p = w.m.put(&Piece{Kind: cfilewire.DeltaFile, Type: cfilewire.Binary, Changes: Changes{Rows: w.rows, Last: w.rows - 1, Deletes: w.rows, MinTime: w.m.next, MaxTime: w.m.next}})
		case 4:
			w.m.next++
			continue
		default:
			p = w.m.column(s, w.rows)
			if i := len(w.done); i < w.keys {
				w.m.keys[p] = fmt.Sprint(w.name, " ", i)
				if p.Keyed = w.keys == 1; p.Keyed {
					w.m.keys[p] = w.name
				}
			}
		}
		w.done = append(w.done, p)
	}
	return w
}

func (w *writer) all() *writer { return w.step(len(w.steps)) }

func (m *made) remove(p *Piece) {
	m.pieces = slices.DeleteFunc(m.pieces, func(o *Piece) bool { return o == p })
}

// redo writes deltas.
func (m *made) redo(c Changes) *Piece {
	c.MinTime, c.MaxTime = m.next, m.next
	return m.put(&Piece{Kind: cfilewire.DeltaFile, Type: cfilewire.Binary, Changes: c})
}

func (m *made) InBloom(_ context.Context, bloom, keys *Piece) (bool, error) {
	return m.keys[bloom] == m.keys[keys], nil
}

func (m *made) KeyColumns(_ context.Context, columns []*Piece, index *Piece) (int, error) {
	n := 0
	for i, p := range columns {
		if m.keys[p] != fmt.Sprint(m.keys[index], " ", i) {
			break
		}
		n++
	}
	return n, nil
}

func (m *made) Born(context.Context, *Piece, *Piece) (bool, error) { return true, nil }

func (m *made) group(t *testing.T, hints ...Hint) *Groups {
	t.Helper()
	g, err := Group(t.Context(), slices.Clone(m.pieces), hints, m)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// found returns the rowset that begins with a block.
func (g *Groups) found(t *testing.T, first *Piece) *RowSet {
	t.Helper()
	i := slices.IndexFunc(g.RowSets, func(r *RowSet) bool { return r.ID() == first.ID })
	if i < 0 {
		t.Fatalf("no rowset begins with block %d", first.ID)
	}
	return g.RowSets[i]
}

func ids(pieces []*Piece) (out []uint64) {
	for _, p := range pieces {
		if p == nil {
			out = append(out, 0)
		} else {
			out = append(out, p.ID)
		}
	}
	return out
}

func (r *RowSet) has(t *testing.T, c Certainty, columns ...*Piece) {
	t.Helper()
	if r.Certainty != c || !slices.Equal(ids(r.Columns), ids(columns)) {
		t.Errorf("columns %d, %v %q; want %d, %v", ids(r.Columns), r.Certainty, r.Why, ids(columns), c)
	}
}

// Rowsets that are written one after another are told apart though they are equal in all but their keys.
func TestOneAfterAnother(t *testing.T) {
	m := newMade()
	var all []*writer
	for i := range 4 {
		all = append(all, m.flush(fmt.Sprint(i), 1+i%2, "isLB", 7).all())
	}
	g := m.group(t)
	for i, w := range all {
		r := g.found(t, w.done[0])
		r.has(t, Sure, w.done[:4]...)
		if r.Keys != 1+i%2 || len(r.Undo) != 1 || r.Undo[0].ID != w.done[len(w.done)-1].ID || r.Ways != 1 {
			t.Errorf("%d: %+v", i, r)
		}
	}
	if len(g.RowSets) != 4 || len(g.Loose)+len(g.Torn) > 0 {
		t.Errorf("%+v", g)
	}
}

// Flushes at the same time are told apart by their numbers of rows; where these are equal it is not sure.
func TestAtOnce(t *testing.T) {
	for _, rows := range []int64{9, 5} {
		for _, keys := range []int{1, 2} {
			m := newMade()
			a, b := m.flush("a", keys, "isL", 5), m.flush("b", keys, "isL", rows)
			a.step(2)
			b.step(2)
			a.step(2)
			b.all()
			a.all()
			g := m.group(t)
			if rows == 5 {
				for _, r := range g.RowSets {
					if r.Certainty == Sure {
						t.Errorf("%d key columns, equal numbers of rows: %d is sure", keys, ids(r.Columns))
					}
				}
				continue
			}
			g.found(t, a.done[0]).has(t, Sure, a.done[:3]...)
			g.found(t, b.done[0]).has(t, Sure, b.done[:3]...)
		}
	}
}

// Columns that a compaction of deltas has replaced come back, with the UNDO file behind them; a REDO file of what was not
// compacted, too.
func TestReplacedColumns(t *testing.T) {
	m := newMade()
	a := m.flush("a", 1, "isLB", 50).all()
	m.flush("b", 1, "isLB", 60).all()
	m.remove(a.done[1])
	m.remove(a.done[3])
	s, b := m.column('s', 50), m.column('B', 50)
	undo := m.redo(Changes{Rows: 3, Last: 20, Updates: 3, Columns: []ChangedColumn{{ID: 1, Width: SeveralWidths}, {ID: 3, Width: 1}}})
	redo := m.redo(Changes{Rows: 2, Last: 9, Deletes: 2})
	g := m.group(t)
	r := g.found(t, a.done[0])
	r.has(t, Sure, a.done[0], s, a.done[2], b)
	if len(r.Undo) != 2 || r.Undo[0].ID != undo.ID || len(r.Redo) != 1 || r.Redo[0].ID != redo.ID || r.Redo[0].Certainty != Sure {
		t.Errorf("UNDO %+v, REDO %+v", r.Undo, r.Redo)
	}
}

// Where two rowsets have equal holes, it is not sure which of them replaced columns are of.
func TestReplacedTwice(t *testing.T) {
	m := newMade()
	a, b := m.flush("a", 1, "isL", 50).all(), m.flush("b", 1, "isL", 50).all()
	m.remove(a.done[1])
	m.remove(b.done[1])
	m.column('s', 50)
	m.next++
	m.column('s', 50)
	for _, r := range m.group(t).RowSets {
		if r.Certainty != Likely || r.Ways != 2 || slices.Contains(r.Columns, nil) {
			t.Errorf("%d: %v, %d ways", ids(r.Columns), r.Certainty, r.Ways)
		}
	}
}

// A column whose block is lost is missed where other rowsets show that there was one, and its place is kept.
func TestLostColumn(t *testing.T) {
	m := newMade()
	a := m.flush("a", 1, "isLB", 50).all()
	m.flush("b", 1, "isLB", 60).all()
	m.remove(a.done[2])
	r := m.group(t).found(t, a.done[0])
	r.has(t, Likely, a.done[0], a.done[1], nil, a.done[3])
	if s := r.positional(); s.Columns[2].Type != cfilewire.Int64 || !s.Columns[2].Nullable {
		t.Errorf("the lost column is %+v", s.Columns[2])
	}
	a.done[1].Kind = Unreadable
	r = m.group(t).found(t, a.done[0])
	r.has(t, Likely, a.done[0], nil, nil, a.done[3])
}

// Without its bloom filter a rowset is found by its key, less surely; without its key it is not.
func TestNoAnchor(t *testing.T) {
	m := newMade()
	a, b := m.flush("a", 1, "isL", 50).all(), m.flush("b", 2, "isL", 50).all()
	c := m.flush("c", 1, "isL", 50).all()
	m.remove(a.done[3])
	m.remove(b.done[3])
	m.remove(c.done[0])
	g := m.group(t)
	g.found(t, a.done[0]).has(t, Likely, a.done[:3]...)
	g.found(t, b.done[0]).has(t, Likely, b.done[:3]...)
	if len(g.RowSets) != 2 || len(g.Loose) != 3 {
		t.Errorf("%d rowsets, %d loose blocks", len(g.RowSets), len(g.Loose))
	}
}

// Deltas are of the only rowset that has their rows and columns, or likely of the one that has few rows behind the last of theirs.
func TestDeltas(t *testing.T) {
	m := newMade()
	a, b := m.flush("a", 1, "isL", 50).all(), m.flush("b", 1, "isD", 400).all()
	double := []ChangedColumn{{ID: 2, Width: 8}}
	for _, x := range []struct {
		changes Changes
		of      *writer
		want    Certainty
	}{
		{Changes{Rows: 9, Last: 300, Deletes: 9}, b, Sure},
		{Changes{Rows: 9, Last: 300, Updates: 9, Columns: double}, b, Likely}, // by what ids of columns are, if nothing was altered
		{Changes{Rows: 40, Last: 48, Deletes: 40}, a, Likely},
		{Changes{Rows: 40, Last: 48, Updates: 40, Columns: double}, a, Likely},
		{Changes{Rows: 1, Last: 48, Deletes: 1}, a, Doubtful},
		{Changes{Rows: 1, Last: 400, Deletes: 1}, nil, Doubtful},
		{Changes{Rows: 1, Last: 4, Updates: 1, Columns: []ChangedColumn{{ID: 0, Width: 4}}}, nil, Doubtful}, // no key changes
		{Changes{Rows: 2, Last: 4, Updates: 4, Order: OrderMixed}, nil, Doubtful},
		{Changes{Rows: 9, Last: 300, Updates: 9, Columns: []ChangedColumn{{ID: 2, Width: SeveralWidths, Null: true}}}, nil, Doubtful}, // of a double
	} {
		p := m.redo(x.changes)
		g := m.group(t)
		m.remove(p)
		if x.of == nil {
			if len(g.Torn) != 1 || g.Torn[0].ID != p.ID || g.Torn[0].Certainty != x.want {
				t.Errorf("%+v: torn %+v", x.changes, g.Torn)
			}
			continue
		}
		r := g.found(t, x.of.done[0])
		if len(r.Redo) != 1 || r.Redo[0].ID != p.ID || r.Redo[0].Certainty != x.want {
			t.Errorf("%+v: REDO %+v, want %v", x.changes, r.Redo, x.want)
		}
	}
	early := newMade()
	p := early.redo(Changes{Rows: 1, Last: 4, Deletes: 1})
	early.flush("a", 1, "is", 50).all()
	if g := early.group(t); len(g.Torn) != 1 || g.Torn[0].ID != p.ID {
		t.Errorf("deltas that were written before all rowsets: %+v", g.Torn)
	}
}

// A schema names the columns: also of rowsets that are older than some of them, or that have some that were dropped.
func TestHints(t *testing.T) {
	column := func(id int32, letter byte, key bool) kuduwire.Column {
		return kuduwire.Column{ID: id, HasID: true, Name: fmt.Sprintf("x%d", id), Type: columnTypes[letter|0x20], Nullable: letter < 'a', Key: key}
	}
	hint := Hint{Table: "t", ID: "1", Schema: &kuduwire.Schema{Columns: []kuduwire.Column{
		column(0, 'i', true), column(1, 's', false), column(3, 'L', false), column(4, 'D', false),
	}}}
	for columns, want := range map[string]string{
		"isLD": "[0 1 3 4] 2 1", "isBLD": "[0 1 2 3 4] 1 1", "isL": "[0 1 3] 1 2", "isB": "[0 1 2] 1 1", "isLDI": "[0 1 3 4 5] 0 1",
		"i": "", "iLD": "", "isD": "[0 1 2] 1 1", "isLL": "[0 1 2 3] 1 1",
	} {
		m := newMade()
		w := m.flush("a", 1, columns, 50).all()
		r := m.group(t, hint).found(t, w.done[0])
		got := ""
		if r.Match != nil {
			got = fmt.Sprint(r.Match.IDs, r.Match.Good, r.Match.Ways)
			got = strings.Replace(got, "]", "] ", 1)
		}
		if strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%s: %q, want %q", columns, got, want)
		}
	}
}

// Rowsets of equal columns are one table unless a key is live in two of them.
func TestTables(t *testing.T) {
	m := newMade()
	var all []*writer
	for i := range 5 {
		all = append(all, m.flush(fmt.Sprint(i), 1, []string{"is", "is", "il", "is", "is"}[i], int64(5+i)).all())
	}
	g := m.group(t)
	a, b := g.found(t, all[0].done[0]), g.found(t, all[3].done[0])
	tables := Tables(g.RowSets, nil, func(x, y *RowSet) bool { return x == a && y == b || x == b && y == a })
	var got []string
	for _, x := range tables {
		got = append(got, fmt.Sprint(len(x.RowSets), " ", x.Certainty))
	}
	if want := []string{"2 sure", "1 sure", "1 sure"}; slices.Equal(got, want) {
		t.Errorf("rowsets of one table are sure: %q", got)
	}
	if want := []string{"2 likely", "2 doubtful", "1 sure"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzGroup puts blocks together of which anything is said: no block is in two places, and it ends.
func FuzzGroup(f *testing.F) {
	m := newMade()
	m.flush("a", 1, "isLB", 50).all()
	m.flush("b", 2, "isLB", 50).all()
	var seed []byte
	for _, p := range m.pieces {
		seed = append(seed, byte(p.Kind), byte(p.Type), byte(p.Rows), 1)
	}
	f.Add(seed, uint64(3))
	f.Add([]byte("\x00\x05\x07\x03\x03\x0c\x00\x01\x02\x0c\x07\x01\x02\x0c\x09\x09"), uint64(1<<60-1))
	f.Fuzz(func(t *testing.T, b []byte, answers uint64) {
		var pieces []*Piece
		seq := uint64(0)
		for ; len(b) >= 4 && len(pieces) < 200; b = b[4:] {
			seq += uint64(b[3] & 7)
			p := &Piece{ID: uint64(len(pieces) + 1), Seq: seq, Kind: cfilewire.Kind(b[0] & 3), Type: cfilewire.DataType(b[1] % 21), Rows: int64(b[2] & 15), Nullable: b[3]&8 > 0}
			switch {
			case b[0] == 0xff:
				p.Kind = Unreadable
			case p.Kind == cfilewire.DeltaFile:
				p.Changes = Changes{Rows: int64(b[2]&3) + 1, Last: int64(b[2] & 15), Order: Order(b[1] & 3), Deletes: int64(b[3] >> 4), Columns: []ChangedColumn{{ID: int32(b[1] >> 2), Width: int(b[3]>>4) - 1}}}
			}
			p.Keyed = p.Kind == cfilewire.ColumnFile && b[3]&16 > 0
			pieces = append(pieces, p)
		}
		hints := []Hint{{Table: "t", Schema: &kuduwire.Schema{Columns: []kuduwire.Column{
			{ID: 0, Key: true, Type: cfilewire.Int32}, {ID: 2, Type: cfilewire.String, Nullable: true}, {ID: 5, Type: cfilewire.String, Nullable: true},
		}}}}
		g, err := Group(t.Context(), pieces, hints, &fuzzAnswers{answers})
		if err != nil {
			t.Fatal(err)
		}
		where := map[uint64]int{}
		for _, r := range g.RowSets {
			if r.Certainty < Doubtful || r.Certainty > Sure || r.Ways < 1 {
				t.Errorf("%+v", r)
			}
			for _, p := range append(slices.Clone(r.Columns), r.Bloom, r.Index) {
				if p != nil {
					where[p.ID]++
				}
			}
			for _, d := range slices.Concat(r.Undo, r.Redo) {
				where[d.ID]++
			}
		}
		for _, p := range g.Loose {
			where[p.ID]++
		}
		for _, d := range g.Torn {
			where[d.ID]++
		}
		for _, p := range pieces {
			if where[p.ID] != 1 {
				t.Errorf("block %d is in %d places", p.ID, where[p.ID])
			}
		}
		for _, x := range Tables(g.RowSets, hints, func(a, b *RowSet) bool { return (a.Rows+b.Rows)&1 == 1 }) {
			if x.Schema == nil || x.Certainty < Doubtful {
				t.Errorf("%+v", x)
			}
		}
	})
}

// fuzzAnswers answers by bits.
type fuzzAnswers struct{ bits uint64 }

func (f *fuzzAnswers) next() bool {
	f.bits = f.bits>>1 | f.bits<<63
	return f.bits&1 == 1
}

func (f *fuzzAnswers) InBloom(context.Context, *Piece, *Piece) (bool, error) { return f.next(), nil }

func (f *fuzzAnswers) KeyColumns(_ context.Context, columns []*Piece, _ *Piece) (int, error) {
	if f.next() && len(columns) >= 2 {
		return 2, nil
	}
	return 0, nil
}

func (f *fuzzAnswers) Born(context.Context, *Piece, *Piece) (bool, error) { return f.next(), nil }
