package kudu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// damagedSuper is a superblock that cannot be read.
type damagedSuper struct {
	id  string
	err error
	raw []byte // what the file has, as far as it can be read
}

// names reports whether the file contains the id or the name of a table.
func (d *damagedSuper) names(table string) bool {
	return table != "" && bytes.Contains(d.raw, []byte(table))
}

// choose finds the tablets to read.
func (f *File) choose(ctx context.Context) error {
	ids, err := f.dirs.Tablets()
	if err != nil {
		return err
	}
	var all []*tablet
	var damaged []*damagedSuper
	for _, id := range ids {
		s, err := f.dirs.SuperBlock(id)
		if f.verify && errors.Is(err, kuduwire.ErrDescription) {
			f.fault(err)
			err = nil
		}
		switch {
		case err != nil:
			x := &damagedSuper{id: id, err: err}
			_, x.raw, _ = f.dirs.tabletFile(tabletMetaName, id)
			damaged = append(damaged, x)
		case !s.TxnStatus:
			all = append(all, &tablet{id: id, super: s})
		}
	}
	strays, err := f.tellStrays(f.dirs, &f.opt)
	if err != nil {
		return err
	}
	if f.opt.Rebuild != "" {
		made, err := f.server.rebuildTablets(ctx, &f.findings)
		if err != nil {
			return err
		}
		all = append(all, made...)
	}
	if f.opt.Tablet != "" {
		if all, err = f.ofID(all, damaged, strays); err != nil {
			return err
		}
		damaged = nil
	}
	if len(all) == 0 && len(damaged) > 0 {
		return f.hintRead(damaged[0].err)
	}
	if len(all) == 0 {
		return f.orLost(errs.Errorf(errs.ErrUnsupported, "kudu: no tablet in %w", f.whereNone()), damaged, strays)
	}
	of, err := f.ofTable(all)
	if err != nil && !slices.ContainsFunc(all, f.wants) {
		return f.orLost(err, damaged, strays)
	}
	if err != nil {
		return err
	}
	for _, d := range damaged {
		if err := f.passOver(d, of[0].super, all); err != nil {
			return err
		}
	}
	if f.opt.Tablet == "" {
		var supers []*kuduwire.SuperBlock
		for _, t := range of {
			if t.rebuilt == nil {
				supers = append(supers, t.super)
			}
		}
		if len(supers) > 0 {
			f.tellPartitions(f.dirs, supers, len(supers) < len(of))
		}
	}
	if err := f.withData(of); err != nil {
		return err
	}
	f.tellVoters()
	return nil
}

// tellVoters warns of a table whose tablets have more voting replicas than the one that is read: it may be one that lags behind.
func (f *File) tellVoters() {
	voters := 0
	for _, t := range f.tablets {
		if t.rebuilt != nil {
			continue
		}
		if c, _ := f.dirs.consensus(t.id); c != nil { // otherwise nothing tells
			voters = max(voters, len(c.Voters()))
		}
	}
	if voters > 1 && !f.verify {
		f.doubt("table "+f.table, "table %s: its tablets have %d voting replicas, and those of one server are read: operations that clients were told of may be missing. Name the other servers, too (%v)",
			f.table, voters, errs.Opt("kudu-server", ""))
	}
}

// hintRead adds to the error of a superblock, without which nothing is left of its tablet, that a salvage reads it, if so.
func (f *File) hintRead(err error) error {
	if errors.Is(err, kuduwire.ErrDescription) {
		return f.hintSalvage(err)
	}
	return err
}

// ofID returns the tablet that is asked for by its id.
func (f *File) ofID(all []*tablet, damaged []*damagedSuper, strays []*stray) ([]*tablet, error) {
	for _, t := range all {
		if t.id == f.opt.Tablet {
			return []*tablet{t}, nil
		}
	}
	for _, d := range damaged {
		if d.id == f.opt.Tablet {
			return nil, f.hintRead(d.err)
		}
	}
	for _, s := range strays {
		if s.id == f.opt.Tablet {
			return nil, errs.Errorf(errs.ErrCorrupt, "kudu: %v%s. Without it nothing names the blocks that the tablet has: %w puts blocks without superblocks together", s, f.dirs.strayColumns(s.id), errs.Opt("kudu-rebuild", ""))
		}
	}
	return nil, errs.Errorf(errs.ErrOption, "kudu: no tablet %q in %s", f.opt.Tablet, f.where())
}

// orLost makes of the error that a table is not there one of the data, if superblocks are lost or cannot be read: the
// table may be that of one of these.
func (f *File) orLost(err error, damaged []*damagedSuper, strays []*stray) error {
	lost := ""
	switch {
	case f.dirs.Metadata == "":
		return err
	case len(damaged) > 0:
		d := damaged[max(0, slices.IndexFunc(damaged, func(d *damagedSuper) bool { return d.names(f.opt.Table) }))]
		if isDenied(d.err) {
			return fmt.Errorf("%s; tablet %s may be of this table: %w", innermost(err), d.id, d.err)
		}
		lost = fmt.Sprintf("tablet %s, which may be of this table: %s: %s", d.id, unreadable(d.err), innermost(d.err))
	case len(strays) > 0:
		lost = fmt.Sprintf("%v%s; it may be of this table", strays[0], f.dirs.strayColumns(strays[0].id))
	default:
		return err
	}
	kind := errs.ErrCorrupt
	if errors.Is(err, errs.ErrUnsupported) {
		kind = errs.ErrUnsupported
	}
	return errs.Errorf(kind, "%s; %s", innermost(err), lost)
}

// wants reports whether a tablet is of the table that is asked for.
func (f *File) wants(t *tablet) bool {
	w := f.opt.Table
	return w == "" || w == t.super.TableName || w == t.super.TableID
}

// passOver goes on without a superblock that cannot be read, if it is not known to be of the table that is read, or to salvage.
func (f *File) passOver(d *damagedSuper, table *kuduwire.SuperBlock, all []*tablet) error {
	ours := d.names(table.TableID)
	if !ours && slices.ContainsFunc(all, func(t *tablet) bool { return d.names(t.super.TableID) }) {
		f.note("the superblock of tablet %s, which is of another table, cannot be read: %v", d.id, d.err)
		return nil
	}
	switch {
	case isDenied(d.err):
		f.hidden = true
		f.doubt("tablet "+d.id, "%s", deniedText(d.id, d.err))
	case f.opt.Salvage && ours:
		f.lose(d.err, at("tablet "+d.id, arrowio.UnknownRows), "tablet %s: %s, so nothing tells its blocks: %v", d.id, unreadable(d.err), d.err)
	case f.opt.Salvage:
		f.lose(d.err, at("tablet "+d.id, arrowio.UnknownRows), "%s", tablelessText(d.id, d.err))
	case ours:
		return f.hintSalvage(d.err)
	default:
		w := at("tablet "+d.id, arrowio.UnknownRows)
		w.Kind = arrowio.WarnDoubt
		f.warn(w, "tablet %s: %s; if it is of this table, rows are missing: %v", d.id, unreadable(d.err), d.err)
	}
	return nil
}

// tablelessText tells of a superblock that cannot be read and does not name a table that is here.
func tablelessText(tablet string, err error) string {
	return fmt.Sprintf("tablet %s: %s, so nothing tells its table and its blocks: %v", tablet, unreadable(err), err)
}

func (f *File) where() string {
	if f.dirs.Metadata == "" {
		return "these directories"
	}
	return f.dirs.Metadata
}

// whereNone tells, as a part of an error, where there is no tablet, and what to do.
func (f *File) whereNone() error {
	if f.dirs.Metadata == "" {
		return fmt.Errorf("these directories: there are no superblocks, which tell what a block is. %w puts them together, as far as they tell; each is a CFile that can be read by itself (%w), and inspect lists them", errs.Opt("kudu-rebuild", ""), errs.Opt("kudu-block", ""))
	}
	return errors.New(f.dirs.Metadata)
}

// ofTable returns the tablets of the one table that is meant.
func (f *File) ofTable(all []*tablet) ([]*tablet, error) {
	tables := map[string][]*tablet{}
	for _, t := range all {
		if f.wants(t) {
			tables[t.super.TableID] = append(tables[t.super.TableID], t)
		}
	}
	if len(tables) == 1 {
		for _, tablets := range tables {
			return tablets, nil
		}
	}
	var names []string
	for _, t := range all {
		if f.opt.Table == "" || len(tables) > 0 {
			if len(tables[t.super.TableID]) == 0 {
				continue
			}
		}
		name := t.super.TableName
		if f.opt.Table != "" && len(tables) > 1 { // one name, several tables: one of them was dropped
			name = t.super.TableID
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch {
	case f.opt.Tablet != "" && len(all) == 1:
		return nil, errs.Errorf(errs.ErrOption, "kudu: tablet %s is of table %q, not of %q", all[0].id, all[0].super.TableName, f.opt.Table)
	case len(tables) > 1 && f.opt.Table != "":
		return nil, errs.Errorf(errs.ErrOption, "kudu: several tables have the name %q; say which by id with %w: %s", f.opt.Table, errs.Opt("kudu-table", ""), strings.Join(names, ", or "))
	case len(tables) > 1:
		return nil, errs.Errorf(errs.ErrOption, "kudu: there are several tables; say which with %w: %s", errs.Opt("kudu-table", ""), strings.Join(names, ", "))
	}
	return nil, errs.Errorf(errs.ErrOption, "kudu: there is no table %q, only %s", f.opt.Table, strings.Join(names, ", "))
}
