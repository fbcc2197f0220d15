package tableprofile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	defaultMemory = 256 << 20
	mostCounted   = 1 << 14 // values of a column that are all counted
	leastCounted  = 1 << 8
	slotBytes     = 128 // of memory for a counted value, texts included: a table is up to half empty while it grows
)

// Options say what a Profiler may use. The zero value is the default.
type Options struct {
	Memory    int64            // bytes for what is kept of all columns, about; default 256 MiB. Many columns may take more: each has at least 64 KiB
	Workers   int              // columns that are measured at the same time; default 1
	Allocator memory.Allocator // for values of a batch without their nulls; default a pooled allocator of this module
}

// Profiler measures columns. It is for one goroutine.
type Profiler struct {
	columns []*column
	rows    int64
	limit   int
	pool    workers.Pool[scratch]
	mem     memory.Allocator
}

// scratch is memory that one worker uses for one column after the other.
type scratch struct {
	finder  arrowdense.Finder
	ints    []int64
	floats  []float64
	hashes  []uint64
	orders  []uint64
	weights []int64
	indices []int32
	rows    []int32
}

// New returns a Profiler of records of a schema.
func New(schema *arrow.Schema, o Options) *Profiler {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Allocator == nil {
		o.Allocator = arrowbuf.Shared()
	}
	p := &Profiler{mem: o.Allocator}
	p.pool.Workers = max(o.Workers, 1)
	leaves := 0
	for _, f := range schema.Fields() {
		p.columns = append(p.columns, newColumn(nil, f, &leaves))
	}
	p.limit = mostCounted
	for p.limit > leastCounted && int64(p.limit)*slotBytes*int64(leaves) > o.Memory {
		p.limit /= 2
	}
	for _, c := range p.columns {
		c.setLimit(p.limit)
	}
	return p
}

// Exact returns how many different values a column may have for its number of values, quantiles and frequent values to be exact. Long
// values may make it fewer.
func (p *Profiler) Exact() int { return p.limit }

// Add measures the columns of a record of the schema. It keeps nothing of rec.
func (p *Profiler) Add(rec arrow.Record) error {
	p.rows += rec.NumRows()
	return p.pool.Each(len(p.columns), func(i int, s *scratch) error {
		if s.finder.Mem == nil {
			s.finder = arrowdense.Finder{Mem: p.mem, Dictionaries: true, Unions: true}
		}
		return p.columns[i].add(rec.Column(i), s)
	})
}

// Profile returns what was measured so far.
func (p *Profiler) Profile() *Profile {
	out := &Profile{Rows: p.rows, Scanned: true, ExactDistinct: p.limit, Columns: []Column{}}
	for _, c := range p.columns {
		out.Columns = c.appendTo(out.Columns, 0)
	}
	return out
}
