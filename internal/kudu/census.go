package kudu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// census is the replicas of all tablets that servers have.
type census struct {
	tablets []*replicas // by id
	tables  []*tablet   // a tablet of each, for what its superblock says of its table: that of the replica to be read
}

// count looks at the superblocks and logs of all servers; keep says of which tablets, nil = of all.
func (s *servers) count(ctx context.Context, asked string, f *findings, keep func(*kuduwire.SuperBlock) bool) (*census, error) {
	byID := map[string]*replicas{}
	out := &census{}
	var bare []*replica
	for rank, x := range s.all {
		ids, err := x.dirs.Tablets()
		if err != nil && !x.passes(err) {
			return nil, err
		}
		if err != nil {
			f.doubt("", "server %s: its superblocks cannot be read: %v", x.name(), err)
		}
		none := map[string]string{} // by tablet, why there is no superblock
		strays, strayErr := x.dirs.straysBut(ids)
		if strayErr != nil && !x.passes(strayErr) {
			return nil, strayErr
		}
		for _, s := range strays {
			if none[s.id] = "its superblock is missing"; err != nil || x.dirs.Metadata == "" {
				none[s.id] = "its superblock is missing or cannot be read"
			}
		}
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sb, err := x.dirs.SuperBlock(id)
			if err != nil {
				if !x.passes(err) {
					return nil, err
				}
				none[id] = unreadable(err)
				f.doubt("tablet "+id, "server %s: tablet %s: %s: %v", x.name(), id, none[id], innermost(err))
				continue
			}
			if sb.TxnStatus || keep != nil && !keep(sb) {
				continue
			}
			r, err := x.newReplica(ctx, rank, sb)
			if err != nil {
				return nil, fmt.Errorf("tablet %s: %w", id, err)
			}
			if byID[id] == nil {
				byID[id] = &replicas{id: id}
				out.tablets = append(out.tablets, byID[id])
			}
			byID[id].all = append(byID[id].all, r)
		}
		for id, why := range none {
			r, err := x.newBare(ctx, rank, id, why)
			if err != nil {
				return nil, fmt.Errorf("tablet %s: %w", id, err)
			}
			bare = append(bare, r)
		}
	}
	slices.SortFunc(bare, func(a, b *replica) int {
		return cmp.Or(strings.Compare(a.super.TabletID, b.super.TabletID), cmp.Compare(a.rank, b.rank))
	})
	for _, r := range bare {
		id := r.super.TabletID
		switch {
		case byID[id] != nil:
			byID[id].all = append(byID[id].all, r)
		case keep == nil:
			f.loseBlocks(at("tablet "+id, arrowio.UnknownRows), "tablet %s: no server has a superblock of it that can be read: its rows are missing", id)
		}
	}
	slices.SortFunc(out.tablets, func(a, b *replicas) int { return strings.Compare(a.id, b.id) })
	for _, x := range out.tablets {
		x.choose(asked)
		for _, r := range x.all[1:] {
			if !r.bare && r.super.TableID != x.all[0].super.TableID {
				return nil, errs.Errorf(errs.ErrCorrupt, "kudu: tablet %s is of table %s on server %s and of table %s on server %s: these are no servers of one cluster",
					x.id, x.all[0].super.TableID, x.all[0].server.name(), r.super.TableID, r.server.name())
			}
		}
		out.tables = append(out.tables, &tablet{id: x.id, super: x.all[0].super})
	}
	return out, nil
}
