package rebuild

import (
	"slices"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Hint is a schema that is known from elsewhere.
type Hint struct {
	Table  string // name
	ID     string // of the table
	Source string // where it is from
	Schema *kuduwire.Schema
}

func (h *Hint) shape() shape {
	s := shape{keys: h.Schema.Keys()}
	for i := range h.Schema.Columns {
		s.columns = append(s.columns, hintColumn(&h.Schema.Columns[i]))
	}
	return s
}

func hintColumn(c *kuduwire.Column) Column { return Column{c.Type, c.Nullable, c.Array} }

// Match says which columns of a schema a rowset has.
type Match struct {
	Hints []int   // that fit equally well; the first counts
	IDs   []int32 // of the rowset's columns
	Ways  int     // in which the columns fit the first
	Good  Goodness
}

// Goodness says how well a rowset fits a schema.
type Goodness uint8

// Goodnesses.
const (
	FitsDropped Goodness = iota // it has columns behind those of the schema, which must have been dropped
	FitsOlder                   // it was written before columns were added, or has some whose ids are missing in the schema
	FitsWhole                   // it has all columns of the schema, and no others
)

// maxMatches bounds the ways that are counted in which a rowset fits a schema.
const maxMatches = 64

// match finds the schemas that a rowset fits best.
func (g *grouper) match(r *RowSet) {
	var best *Match
	for i := range g.hints {
		m := g.hints[i].match(r)
		switch {
		case m == nil:
		case best == nil || m.Good > best.Good:
			m.Hints = []int{i}
			best = m
		case m.Good == best.Good:
			best.Hints = append(best.Hints, i)
		}
	}
	r.Match = best
}

// match puts the columns of a rowset, in their order, on the ids of a schema. A rowset has all columns that there were when it
// was written: those of the schema up to an id, and, at ids that the schema does not have, some that were dropped since.
func (h *Hint) match(r *RowSet) *Match {
	s := h.Schema
	if r.Keys == 0 || r.Keys != s.Keys() || !slices.IsSortedFunc(s.Columns, func(a, b kuduwire.Column) int { return int(a.ID) - int(b.ID) }) {
		return nil
	}
	m := &matcher{columns: r.Columns, schema: s}
	m.walk(0, 0, nil)
	if m.ways == 0 {
		return nil
	}
	return &Match{IDs: m.first, Ways: m.ways, Good: m.good}
}

// matcher walks over the ways in which columns fit a schema.
type matcher struct {
	columns []*Piece
	schema  *kuduwire.Schema
	first   []int32
	good    Goodness
	ways    int
	steps   int
}

// walk goes on where the first i columns have ids, and the first k columns of the schema are among them.
func (m *matcher) walk(i, k int, ids []int32) {
	if m.steps++; m.ways >= maxMatches || m.steps > 1<<14 {
		return
	}
	if i == len(m.columns) {
		for _, c := range m.schema.Columns[k:] {
			if c.Key || !c.Nullable && c.ReadDefault == nil {
				return // it cannot have been added later
			}
		}
		good := FitsOlder
		switch {
		case ids[i-1] > m.schema.Columns[k-1].ID && k == len(m.schema.Columns):
			good = FitsDropped
		case k == i && k == len(m.schema.Columns):
			good = FitsWhole
		}
		switch {
		case m.first == nil || good > m.good:
			m.first, m.good, m.ways = slices.Clone(ids), good, 1
		case good == m.good:
			m.ways++
		}
		return
	}
	next := int32(-1)
	if k < len(m.schema.Columns) {
		c := &m.schema.Columns[k]
		next = c.ID
		if p := m.columns[i]; p == nil || p.column() == hintColumn(c) {
			m.walk(i+1, k+1, append(ids, c.ID))
		}
	}
	// a column that was dropped: an id between those of the schema
	id := int32(0)
	if len(ids) > 0 {
		id = ids[len(ids)-1] + 1
	} else if len(m.schema.Columns) > 0 {
		id = m.schema.Columns[0].ID // ids begin with 0 or 10; the first column is of the key, and is never dropped
	}
	if k > 0 && !(k < len(m.schema.Columns) && m.schema.Columns[k].Key) && (next < 0 || id < next) && id >= 0 {
		m.walk(i+1, k, append(ids, id))
	}
}
