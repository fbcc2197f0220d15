package kudu

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// hints returns the schemas that rebuilt tablets may have: those of the files that the option names, of the server's superblocks,
// and of the logs of tablets without superblocks; of each table the newest.
func (s *server) hints() ([]rebuild.Hint, error) {
	h := hintList{newest: map[string]uint32{}, tablets: map[string]bool{}}
	for _, path := range s.opt.Schemas {
		if err := s.hintFiles(&h, path); err != nil {
			return nil, err
		}
	}
	ids, err := s.dirs.Tablets()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if sb, _ := s.dirs.anySuperBlock(id); sb != nil {
			h.super(sb, s.dirs.SuperBlockPath(id))
		}
	}
	strays, err := s.dirs.straysToRebuild()
	if err != nil {
		return nil, err
	}
	for _, t := range strays {
		if h.tablets[t.id] { // its superblock tells the table, and more of the columns than the first segment of the log
			continue
		}
		schema := s.dirs.logSchema(t.id)
		if schema != nil && !slices.ContainsFunc(h.out, func(x rebuild.Hint) bool { return sameColumns(x.Schema, schema) }) {
			h.add(rebuild.Hint{Table: "tablet " + t.id, Source: s.dirs.LogDir(t.id), Schema: schema}, 0)
		}
	}
	return h.out, nil
}

// sameColumns reports whether two schemas have the same columns.
func sameColumns(a, b *kuduwire.Schema) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(a, b kuduwire.Column) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Type == b.Type && a.Array == b.Array && a.Key == b.Key && a.Nullable == b.Nullable &&
			a.Precision == b.Precision && a.Scale == b.Scale && a.Length == b.Length
	})
}

// hintList collects schemas.
type hintList struct {
	out    []rebuild.Hint
	newest map[string]uint32 // versions, by the id or the source of a table
	// tablets are those whose superblocks are among the files.
	tablets map[string]bool
}

func (h *hintList) super(sb *kuduwire.SuperBlock, path string) {
	if !sb.TxnStatus {
		h.tablets[sb.TabletID] = true
		h.add(rebuild.Hint{Table: sb.TableName, ID: sb.TableID, Source: path, Schema: sb.Schema}, sb.SchemaVersion)
	}
}

func (h *hintList) add(x rebuild.Hint, version uint32) {
	key := x.ID
	if key == "" {
		key = x.Source
	}
	old, known := h.newest[key]
	if !known {
		h.newest[key] = version
		h.out = append(h.out, x)
		return
	}
	if version <= old {
		return
	}
	h.newest[key] = version
	for i := range h.out {
		if o := &h.out[i]; o.ID == key || o.ID == "" && o.Source == key {
			*o = x
		}
	}
}

// hintFiles adds the schemas of a file that the option names, or of all superblocks in a directory.
func (s *server) hintFiles(h *hintList, path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return s.hintFile(h, path)
	}
	for _, name := range []string{kuduwire.SetFileName, tabletMetaName, filepath.Join("wal", tabletMetaName)} {
		switch in, err := os.Stat(filepath.Join(path, name)); {
		case err == nil && in.IsDir():
			return s.hintFiles(h, filepath.Join(path, name))
		case err == nil:
			return s.hintFile(h, filepath.Join(path, name))
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	n := len(h.out)
	for _, e := range entries {
		if !isTabletID(e.Name()) || e.IsDir() {
			continue
		}
		if err := s.hintFile(h, filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	if len(h.out) == n && len(h.newest) == 0 {
		return errs.Errorf(errs.ErrOption, "%w: %s: %w: no superblocks there, which are files whose names are ids of tablets", errs.Opt("kudu-schema", ""), path, fs.ErrNotExist)
	}
	return nil
}

func (s *server) hintFile(h *hintList, path string) error {
	b, err := s.dirs.readSmall(path, s.limits.MetadataBytes, nil)
	if err != nil {
		return err
	}
	switch {
	case kuduwire.IsSet(b[:min(len(b), setHead)]):
		set, err := kuduwire.ParseSet(b, s.limits)
		if err != nil {
			return inFile(err, path)
		}
		table := set.Table
		if table == "" {
			table = strings.TrimSuffix(filepath.Base(filepath.Dir(path)), ".kudu")
		}
		h.add(rebuild.Hint{Table: table, Source: path, Schema: &set.Schema}, 0)
		return nil
	case strings.HasPrefix(filepath.Base(path), segmentPrefix):
		seg, err := openSegment(s.dirs.logFolder(filepath.Dir(path)), filepath.Base(path))
		if err != nil {
			return err
		}
		schema, err := kuduwire.ParseSchema(pb.New(seg.head.Schema), s.limits)
		if err != nil {
			return inFile(err, path)
		}
		h.add(rebuild.Hint{Table: "tablet " + seg.head.TabletID, Source: path, Schema: schema}, 0)
		return nil
	}
	sb, err := kuduwire.ParseSuperBlock(b, s.limits)
	if sb == nil {
		return errs.Errorf(errs.ErrOption, "%w: neither a superblock, nor a log segment, nor the schema.json of a set: %w", errs.Opt("kudu-schema", ""), inFile(err, path))
	}
	h.super(sb, path)
	return nil
}
