package kudu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// rebuiltName is what the ids of rebuilt tables and tablets begin with.
const rebuiltName = "rebuilt-"

// stateRebuilt is what the states of rebuilt tablets begin with.
const stateRebuilt = "rebuilt"

// rebuilt is a tablet that was put together from blocks that no superblock names.
type rebuilt struct {
	table   *rebuild.Table
	rowsets []*rebuild.RowSet // those of super.RowSets, likewise
	level   rebuild.Certainty
	twins   []string // tables with rows that may be of this one, too, but have keys in common with it
}

// checkRebuild checks the options about rebuilding, and turns on what they imply.
func (o *Options) checkRebuild() error {
	switch {
	case o.Rebuild == "" && len(o.Schemas) > 0:
		return errs.Errorf(errs.ErrOption, "%w names the columns of rebuilt tablets: say with %w how sure they must be", errs.Opt("kudu-schema", ""), errs.Opt("kudu-rebuild", ""))
	case o.Rebuild == "":
	case rebuild.ParseCertainty(o.Rebuild) == 0:
		return errs.Errorf(errs.ErrOption, "%w: %q is not sure, likely or doubtful", errs.Opt("kudu-rebuild", ""), o.Rebuild)
	case o.verify:
		return errs.Errorf(errs.ErrOption, "%w puts blocks together, and verify checks what superblocks say of them", errs.Opt("kudu-rebuild", ""))
	case o.Block != "":
		return errs.Errorf(errs.ErrOption, "%w puts blocks together, and %w reads one", errs.Opt("kudu-rebuild", ""), errs.Opt("kudu-block", ""))
	default:
		o.Salvage = true
	}
	return nil
}

// state is what a user sees of the state of a tablet.
func (t *tablet) state() string {
	if t.rebuilt != nil {
		return stateRebuilt + ", " + t.rebuilt.table.Certainty.String()
	}
	return t.super.State.String()
}

// rebuildTablets puts blocks that no superblock names together to tablets, one for each table that can be told apart, and tells
// in f how sure it is of each. What is less sure than the option asks for is left out, and told as a loss.
func (s *server) rebuildTablets(ctx context.Context, f *findings) ([]*tablet, error) {
	level := rebuild.ParseCertainty(s.opt.Rebuild)
	pieces, err := s.pieces(ctx)
	if err != nil {
		return nil, err
	}
	if len(pieces) == 0 {
		return nil, nil
	}
	hints, err := s.hints()
	if err != nil {
		return nil, err
	}
	reader := &File{dirs: s.dirs, blocks: s.blocks, limits: s.limits, sizes: usualSizes, opt: Options{Salvage: true, SkipLog: true, StringsBinary: true, through: s.opt.through}}
	groups, err := rebuild.Group(ctx, pieces, hints, rebuildChecks{reader})
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	f.tellLoose(groups)
	var kept []*rebuild.RowSet
	for _, r := range groups.RowSets {
		if r.Certainty < level {
			f.lose(nil, at("rowset "+kuduwire.BlockName(r.ID()), r.Rows), "rowset %s: %d rows: that its blocks belong together is %v: %s",
				kuduwire.BlockName(r.ID()), r.Rows, r.Certainty, strings.Join(r.Why, "; "))
			continue
		}
		kept = append(kept, r)
	}
	clash, err := reader.clashes(ctx, kept, hints, level)
	if err != nil {
		return nil, err
	}
	var out []*tablet
	named := map[string]*tablet{} // by the id of a table, the tablet that has its name
	for i, t := range rebuild.Tables(kept, hints, clash) {
		x := &tablet{id: fmt.Sprintf("%s%d", rebuiltName, i+1), rebuilt: &rebuilt{table: t, rowsets: t.RowSets, level: level}}
		x.super = superOf(x.id, t, level)
		if first := named[x.super.TableID]; first != nil { // they have keys in common, and a table has each once
			x.super.TableID, x.super.TableName = x.id, x.id
			x.rebuilt.twins = append(x.rebuilt.twins, first.super.TableName)
			first.rebuilt.twins = append(first.rebuilt.twins, x.id)
		}
		named[x.super.TableID] = x
		out = append(out, x)
	}
	return out, nil
}

// superOf is the superblock that a rebuilt tablet could have.
func superOf(id string, t *rebuild.Table, level rebuild.Certainty) *kuduwire.SuperBlock {
	s := &kuduwire.SuperBlock{TabletID: id, TableID: id, TableName: id, Schema: t.Schema, State: kuduwire.TabletReady, LastDurableMRS: -1}
	if t.Hint != nil {
		s.TableName = t.Hint.Table
		if t.Hint.ID != "" {
			s.TableID = t.Hint.ID
		}
	}
	for _, r := range t.RowSets {
		s.RowSets = append(s.RowSets, rowSetOf(r, t.Schema, level))
	}
	return s
}

// rowSetOf is what a superblock could say of a rowset.
func rowSetOf(r *rebuild.RowSet, schema *kuduwire.Schema, level rebuild.Certainty) kuduwire.RowSet {
	out := kuduwire.RowSet{ID: int64(r.ID()), LastDurableDMS: -1, LiveRows: -1}
	for i, p := range r.Columns {
		if p == nil {
			continue
		}
		id := int32(i)
		switch {
		case r.Match != nil:
			id = r.Match.IDs[i]
		case i < len(schema.Columns):
			id = schema.Columns[i].ID
		}
		out.Columns = append(out.Columns, kuduwire.ColumnBlock{Block: p.ID, ID: id})
	}
	if r.Bloom != nil {
		out.Bloom, out.HasBloom = r.Bloom.ID, true
	}
	if r.Index != nil {
		out.AdHoc, out.HasAdHoc = r.Index.ID, true
	}
	for _, d := range r.Undo {
		if d.Certainty >= level {
			out.Undo = append(out.Undo, d.ID)
		}
	}
	for _, d := range r.Redo {
		if d.Certainty >= level {
			out.Redo = append(out.Redo, d.ID)
		}
	}
	return out
}

// clashes finds out which rowsets have a key that is live in both.
func (f *File) clashes(ctx context.Context, all []*rebuild.RowSet, hints []rebuild.Hint, level rebuild.Certainty) (func(a, b *rebuild.RowSet) bool, error) {
	pairs := map[[2]int64]bool{}
	// Without clashes all rowsets of equal columns are one table: these are compared.
	for _, t := range rebuild.Tables(all, hints, func(_, _ *rebuild.RowSet) bool { return false }) {
		x := &tablet{id: rebuiltName, super: superOf(rebuiltName, t, level), schema: t.Schema, rebuilt: &rebuilt{}}
		for i := range x.super.RowSets {
			rs, err := f.openRowSet(ctx, x, &x.super.RowSets[i])
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil && rs.rows > 0 {
				x.rowsets = append(x.rowsets, rs)
			}
		}
		if len(x.rowsets) < 2 || t.Schema.Keys() == 0 {
			continue
		}
		keys, _, err := f.compareAll(ctx, x)
		if errors.Is(err, errs.ErrLimit) { // so many that these are hardly one table
			for i, a := range x.rowsets {
				for _, b := range x.rowsets[:i] {
					pairs[pairOf(a.meta.ID, b.meta.ID)] = true
				}
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, rows := range keys {
			for i, a := range rows {
				for _, b := range rows[:i] {
					pairs[pairOf(a.rs.meta.ID, b.rs.meta.ID)] = true
				}
			}
		}
	}
	return func(a, b *rebuild.RowSet) bool { return pairs[pairOf(int64(a.ID()), int64(b.ID()))] }, nil
}

func pairOf(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }

// tellLoose tells of blocks that are of no rowset.
func (f *findings) tellLoose(g *rebuild.Groups) {
	for _, p := range g.Loose {
		what := fmt.Sprintf("%v of %s", p.Kind, counted(p.Rows, "row", "rows"))
		rows := p.Rows
		if p.Kind == rebuild.Unreadable {
			what, rows = "not readable", arrowio.UnknownRows
		}
		f.lose(nil, at("block "+p.Name(), rows), "block %s: it fits no rowset: %s", p.Name(), what)
	}
	for _, d := range g.Torn {
		f.lose(nil, at("block "+d.Name(), d.Changes.Rows), "block %s: changes of %s are of no rowset: %s", d.Name(), counted(d.Changes.Rows, "row", "rows"), d.Why)
	}
}

// tell tells how sure the rowsets of a rebuilt tablet are, and their deltas.
func (r *rebuilt) tell(f *findings, t *tablet) {
	if r.table.Certainty < rebuild.Sure {
		f.doubt(t.place(), "%s: that its rowsets are of one table is %v: %s", t.place(), r.table.Certainty, r.table.Why)
	}
	for _, other := range r.twins {
		f.doubt(t.place(), "%s: table %s has the same columns and some of the same keys, so each is shown by itself: one of the two is older, or of another table", t.place(), other)
	}
	if r.table.Hint == nil {
		f.note("%s: its columns are named by position and type; --kudu-schema gives them names", t.place())
	}
	for _, c := range t.super.Schema.Columns {
		if c.Type.Decimal() > 0 && r.table.Hint == nil && c.Precision == c.Type.Decimal() && c.Scale == 0 {
			f.doubt(t.place(), "%s: column %s: its scale is not known, and it is shown as integers", t.place(), c.Name)
		}
	}
	for i, rs := range r.rowsets {
		place := fmt.Sprintf("%s, rowset %d", t.place(), t.super.RowSets[i].ID)
		if rs.Certainty < rebuild.Sure {
			f.doubt(place, "%s: that its blocks belong together is %v: %s", place, rs.Certainty, strings.Join(rs.Why, "; "))
		}
		for k, p := range rs.Columns {
			if p == nil {
				f.loseBlocks(at(place, rs.Rows), "%s: all %d rows of column %d, whose block is missing", place, rs.Rows, k)
			}
		}
		if rs.Match != nil && r.table.Hint != nil && rs.Match.Ways > 1 {
			f.doubt(place, "%s: its columns fit those of the table in %d ways", place, rs.Match.Ways)
		}
		for _, d := range slices.Concat(rs.Redo, rs.Undo) {
			r.tellDelta(f, place, d, slices.Contains(rs.Undo, d))
		}
	}
}

func (r *rebuilt) tellDelta(f *findings, place string, d *rebuild.Delta, undo bool) {
	what := "REDO"
	if undo {
		what = "UNDO"
	}
	switch {
	case d.Certainty < r.level && undo: // which the latest rows do not need
		f.doubt(place, "%s: that the UNDO file %s is of this rowset is %v, and snapshots are read without it: %s", place, d.Name(), d.Certainty, d.Why)
	case d.Certainty < r.level:
		f.lose(nil, at(place, d.Changes.Rows), "%s: changes of %s in block %s: that they are of this rowset is %v: %s", place,
			counted(d.Changes.Rows, "row", "rows"), d.Name(), d.Certainty, d.Why)
	case d.Certainty < rebuild.Sure:
		f.doubt(place, "%s: that the %s file %s is of this rowset is %v: %s", place, what, d.Name(), d.Certainty, d.Why)
	}
}
