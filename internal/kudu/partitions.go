package kudu

import (
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// shownPartitions is how many missing partitions are named.
const shownPartitions = 8

// tellPartitions warns of partitions of a table of which the server has no tablet, given the superblocks of those that it
// has. Where no tablet of the table has replicas on other servers it takes them for lost, which Verify reports. rebuilt says whether
// there are rebuilt tablets of the table, too, whose partitions are not known.
func (f *findings) tellPartitions(d *Dirs, supers []*kuduwire.SuperBlock, rebuilt bool) {
	newest := supers[0]
	for _, s := range supers {
		if s.SchemaVersion > newest.SchemaVersion {
			newest = s
		}
	}
	p, err := kuduwire.ParsePartitioning(newest.Partitioning, newest.Schema, d.lim)
	if err != nil {
		f.doubt("table "+newest.TableName, "table %s: whether tablets are missing is not known, because its partitions cannot be read: %v", newest.TableName, err)
		return
	}
	have := make([]kuduwire.Partition, len(supers))
	for i, s := range supers {
		have[i] = s.Partition()
	}
	place := "table " + newest.TableName
	g := p.Gaps(have, shownPartitions)
	if g.Count > 0 {
		var names []string
		for i := range g.Missing {
			names = append(names, partitionName(&g.Missing[i], p, newest.Schema))
		}
		if more := g.Count - int64(len(names)); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		if rebuilt {
			f.doubt(place, "table %s: %s without a tablet that has a superblock here: rows are missing where the rebuilt tablets do not have them: %s", newest.TableName,
				counted(g.Count, "partition is", "partitions are"), strings.Join(names, "; "))
			return
		}
		if f.hidden {
			f.doubt(place, "table %s: %s without a tablet whose superblock can be read; there are superblocks that may not be read, which may be theirs: %s", newest.TableName,
				counted(g.Count, "partition is", "partitions are"), strings.Join(names, "; "))
			return
		}
		text := fmt.Sprintf("table %s: rows are missing, because %s without a tablet here: %s", newest.TableName, counted(g.Count, "partition is", "partitions are"), strings.Join(names, "; "))
		alone := d.alone(supers)
		if alone {
			text += "; no other server has replicas of this table's tablets, so the files may be lost"
			f.fault(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%s", text), errs.At{Format: Name}))
		} else {
			text += "; other servers may have them"
		}
		switch {
		case alone && !f.verify:
			f.loseBlocks(at(place, arrowio.UnknownRows), "%s", text)
		case !alone:
			f.warn(arrowio.Warning{Kind: arrowio.WarnMissing, Place: place, Rows: arrowio.UnknownRows}, "%s", text)
		}
	}
	for i := range g.Between {
		f.doubt(place, "table %s: no tablet here has %s: either the table has no such range, or its tablets are on other servers, or they are lost",
			newest.TableName, partitionName(&g.Between[i], p, newest.Schema))
	}
}

// alone reports whether no other server has replicas of the tablets.
func (d *Dirs) alone(supers []*kuduwire.SuperBlock) bool {
	for _, s := range supers {
		c, err := d.consensus(s.TabletID)
		if err != nil {
			continue // nothing tells
		}
		for _, p := range c.Peers {
			if p.UUID != d.UUID {
				return false
			}
		}
	}
	return d.UUID != ""
}

// partitionName says which rows a partition has.
func partitionName(x *kuduwire.Partition, p *kuduwire.Partitioning, s *kuduwire.Schema) string {
	var parts []string
	switch len(x.Buckets) {
	case 0:
	case 1:
		parts = append(parts, fmt.Sprintf("hash bucket %d", x.Buckets[0]))
	default:
		parts = append(parts, "hash buckets "+strings.Trim(strings.ReplaceAll(fmt.Sprint(x.Buckets), " ", ", "), "[]"))
	}
	ranged := &kuduwire.Schema{}
	var names []string
	for _, c := range p.Range {
		ranged.Columns = append(ranged.Columns, s.Columns[c])
		names = append(names, s.Columns[c].Name)
	}
	columns := strings.Join(names, ", ")
	if len(names) > 1 {
		columns = "(" + columns + ")"
	}
	lower, upper := keyText(ranged, x.Lower), keyText(ranged, x.Upper)
	switch {
	case len(x.Lower) > 0 && len(x.Upper) > 0:
		parts = append(parts, fmt.Sprintf("%s <= %s < %s", lower, columns, upper))
	case len(x.Lower) > 0:
		parts = append(parts, fmt.Sprintf("%s >= %s", columns, lower))
	case len(x.Upper) > 0:
		parts = append(parts, fmt.Sprintf("%s < %s", columns, upper))
	}
	return strings.Join(parts, ", ")
}
