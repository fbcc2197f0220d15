package kudu

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// plan says what an import writes.
type plan struct {
	rowsets []kuduwire.RowSet
	blocks  []*newBlock // in the order in which they are written
	micros  uint64      // when, in microseconds since 1970
}

// newBlock is a block to be made of a file of the set.
type newBlock struct {
	id     uint64
	rowset *setRowSet
	file   *setFile
	dir    *reader.DataDir
	index  int    // of dir among the server's, for the file block manager
	path   string // of the file that has it; "" = of a container that is not named yet
	off    int64  // in it
}

// makePlan gives rowsets and blocks their ids, and blocks their places.
func (im *importer) makePlan() error {
	ids, err := im.newIDs()
	if err != nil {
		return err
	}
	room, err := im.room()
	if err != nil {
		return err
	}
	super := im.tablet.Super
	withKeys := slices.ContainsFunc(super.RowSets, func(r kuduwire.RowSet) bool { return r.MinKey != nil })
	im.plan.micros = im.ops.micros()
	for i, r := range im.rowsets {
		rs := kuduwire.RowSet{ID: im.tablet.LastRowSet + 1 + int64(i), LastDurableDMS: -1, LiveRows: -1}
		if super.CountsLiveRows {
			rs.LiveRows = r.rows
		}
		if withKeys {
			rs.MinKey, rs.MaxKey = r.min, r.max
		}
		for _, f := range r.files {
			at, err := room.take(f.Bytes)
			if err != nil {
				return err
			}
			b := &newBlock{rowset: r, file: f, dir: at.dir, index: at.index}
			if b.id, err = ids.next(at.index); err != nil {
				return err
			}
			switch f.role {
			case kuduwire.BlockOfColumn:
				rs.Columns = append(rs.Columns, kuduwire.ColumnBlock{Block: b.id, ID: im.fits[f.column]})
			case kuduwire.BlockOfAdHoc:
				rs.AdHoc, rs.HasAdHoc = b.id, true
			default:
				rs.Bloom, rs.HasBloom = b.id, true
			}
			im.plan.blocks = append(im.plan.blocks, b)
		}
		im.plan.rowsets = append(im.plan.rowsets, rs)
	}
	return im.checkOwner()
}

// newIDs are ids of blocks that were never used.
type newIDs struct {
	file bool            // of the file block manager: the upper two bytes number the directory
	last uint64          // the last one taken, without the number of the directory
	used map[uint64]bool // by all, without it
}

// lowID are the bits of an id that do not number the directory.
const lowID = 1<<48 - 1

// newIDs finds all ids that are in use, that were, or that a superblock is about to delete.
func (im *importer) newIDs() (*newIDs, error) {
	ids := &newIDs{file: im.dirs.Data[0].Type == kuduwire.DirFile, last: im.blocks.LastRecorded(), used: map[uint64]bool{}}
	see := func(id uint64) {
		if ids.file {
			id &= lowID
			ids.used[id] = true
		}
		ids.last = max(ids.last, id)
	}
	if ids.file { // of the other one LastRecorded tells
		all, err := im.blocks.IDs(im.ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range all {
			see(id)
		}
	}
	tablets, err := im.dirs.Tablets()
	if err != nil {
		return nil, err
	}
	for _, id := range tablets {
		if err := im.ctx.Err(); err != nil {
			return nil, err
		}
		s, err := im.dirs.SuperBlock(id)
		if err != nil {
			im.doubt("the superblock of tablet %s cannot be read, so its blocks are not known, and the server does not start: %v", id, err)
			continue
		}
		for _, u := range s.Blocks() {
			see(u.Block)
		}
		for _, b := range s.Orphaned {
			see(b)
		}
	}
	return ids, nil
}

// next returns an id that was never used, of a block in a directory with that number.
func (n *newIDs) next(dir int) (uint64, error) {
	if !n.file {
		if n.last++; n.last == 0 || n.last > 1<<62 {
			return 0, refuse("the server has used up its ids of blocks")
		}
		return n.last, nil
	}
	// Servers begin at random, so the greatest may be near the end.
	for range len(n.used) + 2 {
		n.last = (n.last + 1) & lowID
		if n.last != 0 && !n.used[n.last] {
			n.used[n.last] = true
			return uint64(dir)<<48 | n.last, nil
		}
	}
	return 0, refuse("the server has used up its ids of blocks")
}

// room is the data directories that the tablet may use, and what is free in them.
type room struct{ places []*freeDir }

// freeDir is a data directory.
type freeDir struct {
	dir   *reader.DataDir
	index int
	disk  *freeDisk
	taken int64 // by this import
}

// freeDisk is a file system that directories may share.
type freeDisk struct{ free int64 }

func (im *importer) room() (*room, error) {
	r := &room{}
	disks := map[uint64]*freeDisk{}
	group := im.tablet.Super.DataDirs
	for i := range im.dirs.Data {
		d := &im.dirs.Data[i]
		if len(group) > 0 && !slices.Contains(group, d.UUID) {
			continue
		}
		index := slices.Index(d.AllUUIDs, d.UUID)
		if index < 0 {
			return nil, corrupt("%s does not list itself among the server's data directories", filepath.Join(d.Path, lockName))
		}
		free, disk, err := im.ops.free(d.Path)
		if err != nil {
			return nil, err
		}
		if disks[disk] == nil {
			disks[disk] = &freeDisk{free: free}
		}
		r.places = append(r.places, &freeDir{dir: d, index: index, disk: disks[disk]})
	}
	if len(r.places) == 0 {
		return nil, refuse("none of the data directories belongs to the tablet")
	}
	return r, nil
}

// take gives a block the directory where most is free, and of several on one disk that which has got the least.
func (r *room) take(n int64) (*freeDir, error) {
	best := slices.MaxFunc(r.places, func(a, b *freeDir) int {
		if c := cmp.Compare(a.disk.free, b.disk.free); c != 0 {
			return c
		}
		return cmp.Compare(b.taken, a.taken)
	})
	if best.disk.free < n {
		return nil, fmt.Errorf("%s: %w: the set needs more than is free for Kudu in the tablet's data directories", best.dir.Path, syscall.ENOSPC)
	}
	best.disk.free -= n
	best.taken += n
	return best, nil
}

// noHistory is what every import has to be told about: there are no UNDOs that would say when a row came.
const noHistory = "scans of an earlier time show the new rows, too, as if they had always been there; backups that go on from one made before do not get them: make a full one"

// makeReport says what the plan is.
func (im *importer) makeReport() *ImportReport {
	s := im.tablet.Super
	r := &ImportReport{
		DryRun: im.DryRun, Server: im.dirs.UUID, BlockManager: im.dirs.Data[0].Type, Table: s.TableName, Tablet: im.Tablet,
		RowSets: []ImportedRowSet{}, Filled: append([]FilledColumn{}, im.filled...), Superblock: im.dirs.SuperBlockPath(im.Tablet),
		Doubts: append([]string{}, im.doubts...), Notes: append(append([]string{}, im.notes...), noHistory),
	}
	blocks := im.plan.blocks
	for i, rs := range im.rowsets {
		out := ImportedRowSet{
			ID: im.plan.rowsets[i].ID, Rows: rs.rows,
			MinKey: im.tablet.KeyText(rs.min), MaxKey: im.tablet.KeyText(rs.max),
		}
		for range rs.files {
			b := blocks[0]
			blocks = blocks[1:]
			out.Bytes += b.file.Bytes
			path := b.path
			if path == "" {
				path = b.dir.Path
			}
			out.Blocks = append(out.Blocks, ImportedBlock{
				ID: kuduwire.BlockName(b.id), What: b.file.what, From: b.file.Name, Bytes: b.file.Bytes, Path: path, Offset: b.off, id: b.id,
			})
		}
		r.RowSets = append(r.RowSets, out)
		r.Rows += out.Rows
		r.Bytes += out.Bytes
	}
	return r
}
