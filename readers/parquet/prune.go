package parquet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Prune implements arrowio.File. The statistics of the row group's column chunks decide first, with the bloom filters
// where a value is asked for; then, page by page, those of the page index.
func (f *parquetFile) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	p := f.newPruner(ctx, s, pred)
	rows, err := p.prune()
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: "parquet", Op: "prune", Split: errs.N(s.Ordinal), Off: errs.N(f.end)})
	}
	return rows, nil
}

// pruner tests a predicate against a row group.
type pruner struct {
	f     *parquetFile
	ctx   context.Context
	split arrowio.Split
	pred  *expr.Bound
	cols  map[string]*node // by path; nil = a column of no use
	err   error            // of reading a bloom filter
	said  struct {
		stats, pages, bloom bool // what pruned something
		tested, left        int  // runs of rows that the page index tells apart
	}
	bloomSaidNo bool
}

func (f *parquetFile) newPruner(ctx context.Context, s arrowio.Split, pred *expr.Bound) *pruner {
	p := &pruner{f: f, ctx: ctx, split: s, pred: pred, cols: map[string]*node{}}
	for _, path := range pred.Columns() {
		p.cols[path] = f.leafAt(path)
	}
	return p
}

// leafAt returns the leaf at a path through structs only: a list has other statistics than its rows.
func (f *parquetFile) leafAt(col string) *node {
	path, err := expr.Resolve(f.schema, col)
	if err != nil {
		return nil
	}
	nodes := f.nodes
	for i, at := range path {
		if at >= len(nodes) {
			return nil
		}
		n := nodes[at]
		if n.refused != "" {
			return nil
		}
		if n.shape == leafShape && i == len(path)-1 && n.maxRep == 0 {
			return n
		}
		if n.shape != structShape {
			return nil
		}
		nodes = n.children
	}
	return nil
}

func (p *pruner) prune() (arrowio.RowSet, error) {
	all := arrowio.RowSet{}.Add(p.split.Rows)
	truth := p.pred.Test(func(col string) expr.Evidence { return p.chunk(p.cols[col]) })
	if p.err != nil {
		return nil, p.err
	}
	if truth.Skip() {
		p.said.bloom, p.said.stats = p.bloomSaidNo, !p.bloomSaidNo
		return nil, nil
	}
	if truth.All() {
		return all, nil
	}
	return p.prunePages(all)
}

// chunkEvidence is what is known of a column chunk.
type chunkEvidence struct {
	p  *pruner
	n  *node
	st expr.Stats
}

// Stats implements expr.Evidence.
func (e *chunkEvidence) Stats() expr.Stats { return e.st }

// MayContain asks the bloom filter, which is read for the first question.
func (e *chunkEvidence) MayContain(v scalar.Scalar) bool {
	p := e.p
	id := chunkID{p.split.Ordinal, e.n.column}
	if p.err != nil || p.f.chunk(id).Bloom == 0 {
		return true
	}
	h, ok := e.n.hash(v)
	if !ok {
		return true
	}
	b, err := p.f.bloomOf(p.ctx, id)
	if err != nil {
		p.err = err
		return true
	}
	may := b.MayContain(h)
	p.bloomSaidNo = p.bloomSaidNo || !may
	return may
}

// chunk returns the evidence of a column over the row group.
func (p *pruner) chunk(n *node) expr.Evidence {
	if n == nil {
		return nil
	}
	c := p.f.chunk(chunkID{p.split.Ordinal, n.column})
	st := expr.Stats{Rows: p.split.Rows.Len(), Nulls: c.Stats.Nulls}
	if !p.f.countsNulls(n) && st.Nulls < st.Rows {
		st.Nulls = -1
	}
	st.Min, st.Max = n.bounds(&c.Stats, p.f.ordered(n))
	return &chunkEvidence{p: p, n: n, st: st}
}

func (f *parquetFile) ordered(n *node) bool {
	return n.column < len(f.footer.Ordered) && f.footer.Ordered[n.column]
}

// countsNulls reports whether the statistics of a column count all nulls. Those of parquet-cpp leave out, for columns that
// were dictionaries, the rows where a struct or list around the column is null or empty.
func (f *parquetFile) countsNulls(n *node) bool {
	return n.maxDef < 2 || n.plain || n.elem.Type != decode.ByteArray || !strings.HasPrefix(f.footer.CreatedBy, "parquet-cpp")
}

// countsExactly reports whether a bound that is marked as exact is a value of the column. DuckDB marks bounds that count
// values below structs that are null.
func (f *parquetFile) countsExactly() bool { return !strings.HasPrefix(f.footer.CreatedBy, "DuckDB") }

// nullPage reports whether a page has nothing but nulls. Where the number of nulls is -1, the writer had no statistics.
func nullPage(x *decode.ColumnIndex, page int) bool {
	return x.NullPages[page] && (x.Nulls == nil || x.Nulls[page] >= 0)
}

// prunePages tests the runs of rows that the pages of the predicate's columns cut the row group into.
func (p *pruner) prunePages(all arrowio.RowSet) (arrowio.RowSet, error) {
	var columns []int
	for _, n := range p.cols {
		if n != nil && p.f.within(p.f.chunk(chunkID{p.split.Ordinal, n.column}).ColumnIndex) {
			columns = append(columns, n.column)
		}
	}
	if len(columns) == 0 {
		return all, nil
	}
	if err := p.f.loadPages(p.ctx, p.split.Ordinal, columns); err != nil {
		return nil, err
	}
	known := map[int]*index{}
	var cuts []int64
	p.f.mu.Lock()
	for _, c := range columns {
		if x := p.f.indexOf(chunkID{p.split.Ordinal, c}); x.pages != nil {
			known[c] = x
			for _, at := range x.offsets {
				cuts = append(cuts, at.FirstRow)
			}
		}
	}
	p.f.mu.Unlock()
	if len(known) == 0 {
		return all, nil
	}
	slices.Sort(cuts)
	cuts = append(slices.Compact(cuts), p.split.Rows.Len())
	at := map[int]int{} // the page of each column
	var out arrowio.RowSet
	for i := range len(cuts) - 1 {
		rows := arrowio.RowRange{Start: p.split.Rows.Start + cuts[i], End: p.split.Rows.Start + cuts[i+1]}
		truth := p.pred.Test(func(col string) expr.Evidence {
			n := p.cols[col]
			if n == nil {
				return nil
			}
			x := known[n.column]
			if x == nil {
				return p.chunk(n)
			}
			page := at[n.column]
			for page+1 < len(x.offsets) && x.offsets[page+1].FirstRow <= cuts[i] {
				page++
			}
			at[n.column] = page
			return p.page(n, x, page, rows.Len())
		})
		p.said.tested++
		if !truth.Skip() {
			p.said.left++
			out = out.Add(rows)
		}
	}
	p.said.pages = p.said.left < p.said.tested
	return out, p.err
}

// page returns the evidence of a column over rows of one of its pages.
func (p *pruner) page(n *node, x *index, page int, rows int64) expr.Evidence {
	st := expr.Stats{Rows: rows, Nulls: -1}
	switch {
	case nullPage(x.pages, page):
		st.Nulls = rows
		return expr.StatsOnly(st)
	case x.pages.Nulls != nil && x.pages.Nulls[page] == 0 && p.f.countsNulls(n):
		st.Nulls = 0
	}
	ordered := p.f.ordered(n)
	if !x.pages.NullPages[page] {
		st.Min, st.Max = n.bound(x.pages.Min[page], ordered, false), n.bound(x.pages.Max[page], ordered, true)
	}
	return &chunkEvidence{p: p, n: n, st: st}
}

// plan tells what a predicate leaves of each row group.
func (f *parquetFile) plan(ctx context.Context, pred *expr.Bound) ([]arrowio.PlanInfo, error) {
	var out []arrowio.PlanInfo
	for _, s := range f.splits {
		p := f.newPruner(ctx, s, pred)
		rows, err := p.prune()
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: "parquet", Op: "prune", Split: errs.N(s.Ordinal), Off: errs.N(f.end)})
		}
		info := arrowio.PlanInfo{
			Unit: fmt.Sprintf("row group %d", s.Ordinal), Rows: s.Rows, Left: rows.Len(), BytesOf: s.Bytes,
			Groups: p.said.left, GroupsOf: p.said.tested,
		}
		if n := s.Rows.Len(); n > 0 {
			info.Bytes = int64(float64(s.Bytes) * float64(info.Left) / float64(n))
		}
		for _, by := range []struct {
			did  bool
			name string
		}{{p.said.stats, "row group statistics"}, {p.said.pages, "page index"}, {p.said.bloom, "bloom filters"}} {
			if by.did {
				info.By = append(info.By, by.name)
			}
		}
		out = append(out, info)
	}
	return out, nil
}
