package kudu

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
)

// addRebuilt adds the tablets that can be put together from blocks that no superblock names, with their rowsets and deltas, each
// with how sure it is.
func (v *Overview) addRebuilt(ctx context.Context, byID map[string]*tableMember) error {
	if v.opt.Rebuild == "" {
		return nil
	}
	tablets, err := v.rebuildTablets(ctx, &v.findings)
	if err != nil {
		return err
	}
	for _, x := range tablets {
		x.rebuilt.tell(&v.findings, x)
		sb := x.super
		t := byID[sb.TableID]
		if t == nil {
			t = &tableMember{MemberInfo: arrowio.MemberInfo{Kind: kindTable, Name: sb.TableName, ID: sb.TableID}}
			byID[sb.TableID], v.tables = t, append(v.tables, t)
		}
		m := arrowio.MemberInfo{
			Kind: kindTablet, Name: sb.TableName, ID: sb.TabletID, State: x.state(), Parts: int64(len(sb.RowSets)),
			Rows: arrowio.UnknownRows, Open: []arrowio.Choice{{Option: "kudu-tablet", Value: sb.TabletID}}, Detail: x.rebuilt.table.Why,
		}
		m.Bytes, _ = sizeOf(v.blocks, sb)
		t.add(m)
		for i, r := range x.rebuilt.rowsets {
			t.tablets = append(t.tablets, rowSetMember(sb.TableName, sb.RowSets[i].ID, r))
			for _, d := range slices.Concat(r.Undo, r.Redo) {
				t.tablets = append(t.tablets, deltasMember(sb.TableName, sb.RowSets[i].ID, r, d))
			}
			for _, b := range sb.Blocks() {
				v.used = append(v.used, b.Block)
			}
		}
		t.Rows = arrowio.UnknownRows
	}
	return nil
}

// rowSetMember describes a rowset of a rebuilt tablet: Rows are those that are stored, deleted ones included.
func rowSetMember(table string, id int64, r *rebuild.RowSet) arrowio.MemberInfo {
	detail := []string{fmt.Sprintf("%s, %d of the key", count(int64(len(r.Columns)), "column"), r.Keys)}
	if r.Ways > 1 {
		detail = append(detail, fmt.Sprintf("one of %d ways", r.Ways))
	}
	return arrowio.MemberInfo{
		Kind: kindRowSet, Name: table, ID: fmt.Sprint(id), State: r.Certainty.String(), Parts: int64(len(r.Columns)), Rows: r.Rows, Bytes: unknownBytes,
		Detail: strings.Join(append(detail, r.Why...), "; "),
	}
}

// deltasMember describes a delta file of a rebuilt rowset: Rows are those that it changes.
func deltasMember(table string, rowset int64, r *rebuild.RowSet, d *rebuild.Delta) arrowio.MemberInfo {
	what := "REDO"
	if slices.Contains(r.Undo, d) {
		what = "UNDO"
	}
	return arrowio.MemberInfo{
		Kind: kindDeltas, Name: table, ID: d.Name(), State: d.Certainty.String(), Rows: d.Changes.Rows, Bytes: unknownBytes,
		Detail: fmt.Sprintf("%s of rowset %d; %s", what, rowset, d.Why),
	}
}
