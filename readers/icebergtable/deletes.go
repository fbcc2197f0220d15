package icebergtable

import (
	"cmp"
	"slices"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// deleteIndex finds the delete files that are about a data file (Iceberg table specification, "Scan Planning").
type deleteIndex struct {
	positions map[string][]*deleted // by partition: see partitionKey
	values    map[string][]*deleted // likewise
	global    []*deleted            // equality deletes without a partition, which are about all files
	about     map[string][]*deleted // position deletes of one data file, by its pathKey
	vectors   map[string]*deleted   // likewise: the deletion vector of a data file, which takes the place of its position deletes
	all       []*deleted
}

// deleted is a delete file.
type deleted struct {
	entry *entry
	file  *deleteFile
}

func (p *planner) indexDeletes() (*deleteIndex, error) {
	x := &deleteIndex{positions: map[string][]*deleted{}, values: map[string][]*deleted{}, about: map[string][]*deleted{}, vectors: map[string]*deleted{}}
	for _, e := range p.deletes {
		if err := p.check(e); err != nil {
			return nil, err
		}
		found, err := p.places.find(e.Path)
		if err != nil {
			return nil, err
		}
		d := &deleted{e, &deleteFile{Path: found, Format: e.Format, Rows: e.Rows}}
		x.all = append(x.all, d)
		spec, err := p.spec(e)
		if err != nil {
			return nil, err
		}
		key := partitionKey(e)
		switch {
		case e.vector():
			about := pathKey(e.About)
			if other := x.vectors[about]; other != nil {
				return nil, corrupt("two deletion vectors, in %s and %s, are about the file %s", other.entry.Path, e.Path, e.About)
			}
			x.vectors[about], d.file.Vector = d, &vector{Offset: e.Offset, Size: e.Size}
		case e.Content == positionDeletes && e.About != "":
			x.about[pathKey(e.About)] = append(x.about[pathKey(e.About)], d)
		case e.Content == positionDeletes:
			x.positions[key] = append(x.positions[key], d)
		default:
			if d.file.Equality, err = p.equality(e); err != nil {
				return nil, err
			}
			if unpartitioned(spec) {
				x.global = append(x.global, d)
			} else {
				x.values[key] = append(x.values[key], d)
			}
		}
	}
	return x, nil
}

// unpartitioned reports whether files of a spec are in no partition.
func unpartitioned(s iceberg.Spec) bool {
	return !slices.ContainsFunc(s.Fields, func(f iceberg.PartitionField) bool { return f.Transform.Kind != iceberg.Void })
}

// equality returns the columns by which a file deletes: of the schema of the snapshot or, where it has dropped one, of the latest
// schema that has all of them.
func (p *planner) equality(e *entry) ([]iceberg.Field, error) {
	if len(e.Equality) == 0 {
		return nil, corrupt("the file %s deletes by values, and the manifest does not say of which columns", e.Path)
	}
	t := p.meta.Table(p.table.fields)
	if fields := iceberg.Pick(t.Current, e.Equality); fields != nil {
		return fields, nil
	}
	for _, older := range slices.Backward(t.Older) {
		if fields := iceberg.Pick(older, e.Equality); fields != nil {
			return fields, nil
		}
	}
	return nil, corrupt("the file %s deletes by columns %v, which no schema of the table has", e.Path, e.Equality)
}

// of returns the delete files that are about a data file, in an order that is the same for all files with the same ones.
func (x *deleteIndex) of(e *entry) ([]*deleteFile, error) {
	var out []*deleted
	key, path := partitionKey(e), pathKey(e.Path)
	byPosition := [][]*deleted{x.positions[key], x.about[path]}
	if v := x.vectors[path]; v != nil { // it has the deletes of all files of position deletes that were there before
		if e.Sequence > v.entry.Sequence || partitionKey(v.entry) != key {
			return nil, corrupt("the deletion vector in %s is about the file %s, which is newer or in another partition", v.entry.Path, e.Path)
		}
		out, byPosition = append(out, v), nil
	}
	for _, list := range byPosition {
		for _, d := range list {
			if e.Sequence <= d.entry.Sequence && d.mayName(e.Path) {
				out = append(out, d)
			}
		}
	}
	for _, list := range [][]*deleted{x.values[key], x.global} {
		for _, d := range list {
			if e.Sequence < d.entry.Sequence {
				out = append(out, d)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *deleted) int { return cmp.Compare(a.file.Path, b.file.Path) })
	files := make([]*deleteFile, len(out))
	for i, d := range out {
		files[i] = d.file
		files[i].users++
	}
	return files, nil
}

// mayName reports whether a file of position deletes may name a data file, by the bounds of its paths.
func (d *deleted) mayName(path string) bool {
	s, ok := d.entry.Statistics[iceberg.PathID]
	if !ok || s.Lower == nil || s.Upper == nil {
		return true
	}
	// Paths may be written in several ways. Bounds tell apart only those that are written as they are.
	if string(s.Lower) == string(s.Upper) {
		return pathKey(string(s.Lower)) == pathKey(path)
	}
	if authority(string(s.Lower)) != authority(path) || authority(string(s.Upper)) != authority(path) {
		return true
	}
	return string(s.Lower) <= path && path <= string(s.Upper)
}
