package kudu

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Prune returns the rows of s that may satisfy pred. Rows of a rowset ascend by key, which nothing ever changes: so the
// least and the greatest key and the value index say where rows can be, whatever the snapshot.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	p := f.parts[s.Ordinal-f.first.Ordinal]
	all := arrowio.RowSet{s.Rows}
	rs := p.rowset
	if rs == nil {
		return all, nil
	}
	id, what, parts, ok := f.keyIndex(rs, pred)
	if !ok {
		return all, nil
	}
	r, c, err := f.block(ctx, id, what)
	if err != nil {
		return f.unpruned(all, inRowSet(err, rs))
	}
	defer c.Close()
	k, err := r.NewKeyPruner(ctx, parts)
	if err != nil {
		return f.unpruned(all, inRowSet(f.inBlock(err, id, what), rs))
	}
	ords, err := k.Prune(ctx, p.rows, pred)
	if err != nil {
		return f.unpruned(all, inRowSet(f.inBlock(err, id, what), rs))
	}
	if ords, err = f.askBloom(ctx, rs, parts, pred, ords); err != nil {
		return f.unpruned(all, inRowSet(err, rs))
	}
	live, err := f.findLive(ctx, p)
	if err != nil {
		return nil, err
	}
	return numbers(p, live, s, ords), nil
}

// unpruned returns all rows where salvaging must do without an index, and the error otherwise.
func (f *File) unpruned(all arrowio.RowSet, err error) (arrowio.RowSet, error) {
	if f.opt.Salvage {
		return all, nil
	}
	return nil, err
}

// keyIndex returns the block with the index of the keys that pred asks about, and the columns of these.
func (f *File) keyIndex(rs *rowset, pred *expr.Bound) (id uint64, what string, parts []cfile.KeyPart, ok bool) {
	if rs.tablet.schema.Keys() == 0 {
		return f.columnIndex(rs, pred)
	}
	parts, ok = f.keyParts(pred)
	if !ok || rs.lostKeys() {
		return 0, "", nil, false
	}
	id, what, ok = rs.keyBlock()
	return id, what, parts, ok
}

// columnIndex is keyIndex for a set without a key, in which the file of a column may have an index of its values.
func (f *File) columnIndex(rs *rowset, pred *expr.Bound) (id uint64, what string, parts []cfile.KeyPart, ok bool) {
	for _, path := range pred.Columns() {
		at, err := expr.Resolve(f.schema, path)
		if err != nil || len(at) != 1 {
			continue
		}
		field, c := f.schema.Field(at[0]), &f.columns[at[0]]
		if indexed, _ := field.Metadata.GetValue(cfilewire.MetaKey); indexed != "true" || c.Nullable || len(rs.lost[c.ID].rows) > 0 {
			continue
		}
		if id, ok = rs.column(c.ID); ok {
			return id, "column", []cfile.KeyPart{{Path: path, Type: c.Type, Arrow: field.Type}}, true
		}
	}
	return 0, "", nil, false
}

// lostKeys reports whether a salvage shows some keys as null, of which the index knows nothing.
func (rs *rowset) lostKeys() bool {
	for _, c := range rs.tablet.schema.Columns {
		if c.Key && len(rs.lost[c.ID].rows) > 0 {
			return true
		}
	}
	return false
}

// keyBlock returns the block with the value index of the rowset's keys.
func (rs *rowset) keyBlock() (id uint64, what string, ok bool) {
	if rs.meta.HasAdHoc {
		return rs.meta.AdHoc, "key index", true
	}
	if rs.tablet.schema.Keys() != 1 {
		return 0, "", false
	}
	id, ok = rs.column(rs.tablet.schema.Columns[0].ID)
	return id, "key column", ok
}

// keyParts returns the columns of the primary key, under the names that pred has for them; some = it has any.
func (f *File) keyParts(pred *expr.Bound) (parts []cfile.KeyPart, some bool) {
	for i := range f.columns {
		if c := &f.columns[i]; c.Key {
			parts = append(parts, cfile.KeyPart{Type: c.Type, Arrow: f.schema.Field(i).Type})
		}
	}
	for _, col := range pred.Columns() {
		if at, err := expr.Resolve(f.schema, col); err == nil && len(at) == 1 && at[0] < len(parts) {
			parts[at[0]].Path, some = col, true
		}
	}
	return parts, some
}

// askBloom returns no rows where the predicate wants one key and the rowset's bloom filters say that it is not there.
func (f *File) askBloom(ctx context.Context, rs *rowset, parts []cfile.KeyPart, pred *expr.Bound, rows arrowio.RowSet) (arrowio.RowSet, error) {
	if !rs.meta.HasBloom || len(rows) == 0 {
		return rows, nil
	}
	key, ok := wholeKey(parts, pred)
	if !ok {
		return rows, nil
	}
	r, c, err := f.block(ctx, rs.meta.Bloom, "bloom filters")
	if err != nil {
		return nil, err
	}
	defer c.Close()
	may, err := r.MayContainKey(ctx, key)
	if err != nil {
		return nil, f.inBlock(err, rs.meta.Bloom, "bloom filters")
	}
	if !may {
		return nil, nil
	}
	return rows, nil
}

// wholeKey returns the encoded key that pred wants: a conjunction that sets each part to one value.
func wholeKey(parts []cfile.KeyPart, pred *expr.Bound) ([]byte, bool) {
	set := map[string]bool{}
	conjuncts := expr.And{pred.Expr()}
	for len(conjuncts) > 0 {
		e := conjuncts[0]
		conjuncts = conjuncts[1:]
		switch e := e.(type) {
		case expr.And:
			conjuncts = append(conjuncts, e...)
		case expr.Compare:
			set[e.Col] = set[e.Col] || e.Op == expr.Eq
		}
	}
	asked := map[string]*question{}
	for _, p := range parts {
		if !set[p.Path] {
			return nil, false
		}
		asked[p.Path] = &question{}
	}
	pred.Test(func(col string) expr.Evidence {
		if q := asked[col]; q != nil {
			return q
		}
		return expr.StatsOnly{}
	})
	var key []byte
	for i, p := range parts {
		q := asked[p.Path]
		if len(q.values) != 1 {
			return nil, false
		}
		cell, ok := cfile.Cell(p, q.values[0])
		if !ok {
			return nil, false
		}
		var err error
		if key, err = cfilewire.AppendKey(key, p.Type, cell, i == len(parts)-1); err != nil {
			return nil, false
		}
	}
	return key, true
}

// question is evidence that knows nothing and remembers what a predicate asks for: literals as the column's own values.
type question struct{ values []scalar.Scalar }

// Stats is unknown.
func (q *question) Stats() expr.Stats { return expr.Stats{} }

// MayContain is always true.
func (q *question) MayContain(v scalar.Scalar) bool {
	q.values = append(q.values, v)
	return true
}
