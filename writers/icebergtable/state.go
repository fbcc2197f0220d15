package icebergtable

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// state is the files of the current snapshot of a table, as its manifests list them and as its reader shows them.
type state struct {
	schema  *arrow.Schema // of the rows that the reader shows
	data    []*stateFile
	deletes []*stateFile
	scoped  map[string][]*stateFile // delete files that are about one data file, by its path
	ranges  map[string][]*stateFile // other position deletes, by partition
	values  map[string][]*stateFile // equality deletes, by partition; "" = about all partitions
}

// stateFile is a file of a state.
type stateFile struct {
	manifestEntry
	spec     int
	fragment arrowio.Fragment // of a data file
}

// Files of a table are written by what reads them, too.
const (
	readerLineage = "iceberg-row-lineage"
	optionYes     = "true"
)

// state returns the files of the table as it is known to be. lineage adds the columns of row lineage to what is read.
func (t *Table) state(ctx context.Context, lineage bool) (*state, error) {
	s, err := t.listed(ctx)
	if err != nil {
		return nil, err
	}
	return s, t.show(ctx, s, lineage)
}

func newState() *state {
	return &state{scoped: map[string][]*stateFile{}, ranges: map[string][]*stateFile{}, values: map[string][]*stateFile{}}
}

// list reads what the manifests list.
func (t *Table) list(ctx context.Context, s *state, list string) error {
	manifests, err := t.writer.manifests(ctx, t.base, list)
	if err != nil {
		return err
	}
	for i := range manifests {
		m := &manifests[i]
		entries, err := t.writer.cachedEntries(ctx, t.base, m)
		if err != nil {
			return err
		}
		for k := range entries {
			f := &stateFile{manifestEntry: entries[k], spec: int(m.SpecID)}
			if f.File.Content == 0 {
				s.data = append(s.data, f)
				continue
			}
			s.deletes = append(s.deletes, f)
			about := f.about()
			switch {
			case f.File.Content == contentEquality && t.unpartitioned(f.spec):
				s.values[""] = append(s.values[""], f)
			case f.File.Content == contentEquality:
				s.values[f.partition()] = append(s.values[f.partition()], f)
			case about != "":
				s.scoped[about] = append(s.scoped[about], f)
			default:
				s.ranges[f.partition()] = append(s.ranges[f.partition()], f)
			}
		}
	}
	return nil
}

// show finds the fragments of the data files.
func (t *Table) show(ctx context.Context, s *state, lineage bool) error {
	if t.o.Reader.OpenTable == nil {
		return errs.Errorf(errs.ErrInternal, "Options.Reader is not set")
	}
	tree, err := t.o.Stores.Tree(found(t.base.location()))
	if err != nil {
		return err
	}
	o := arrowio.OpenOptions{Limits: t.o.Limits, OpenSource: t.o.Stores.Open, OpenTree: t.o.Stores.Tree}
	if lineage {
		o.Options = map[string]string{readerLineage: optionYes}
	}
	fragments, err := t.o.Reader.OpenTable(ctx, tree, found(t.base.where), o)
	if err != nil {
		return err
	}
	byPath := make(map[string]arrowio.Fragment, len(fragments))
	for _, f := range fragments {
		if _, ok := byPath[f.Name]; ok {
			return corrupt("the table lists the file %s twice", f.Name)
		}
		byPath[f.Name] = f
		s.schema = f.Schema
	}
	for _, f := range s.data {
		var ok bool
		if f.fragment, ok = byPath[found(f.File.Path)]; !ok {
			return errs.Errorf(errs.ErrInternal, "the reader of the table does not list the file %s", f.File.Path)
		}
	}
	return nil
}

// unpartitioned reports whether files of a spec are in no partition.
func (t *Table) unpartitioned(spec int) bool {
	return !slices.ContainsFunc(t.base.meta.Specs[spec].Fields, func(f iceberg.PartitionField) bool { return f.Transform.Kind != iceberg.Void })
}

// partition tells partitions apart, those of different specs too.
func (f *stateFile) partition() string {
	names := make([]string, 0, len(f.File.Partition))
	for name := range f.File.Partition {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	fmt.Fprintf(&b, "%d", f.spec)
	for _, name := range names {
		v := f.File.Partition[name]
		fmt.Fprintf(&b, " %s=%t:%x", name, v == nil, single(v))
	}
	return b.String()
}

// about returns the path of the only data file that a file of position deletes is about; "" = it may be about several.
func (f *stateFile) about() string {
	if f.File.Content != contentPositions {
		return ""
	}
	if f.File.About != nil {
		return found(*f.File.About)
	}
	if lower, upper := boundOf(f.File.Lower, iceberg.PathID), boundOf(f.File.Upper, iceberg.PathID); lower != "" && lower == upper {
		return found(lower)
	}
	return ""
}

func boundOf(bounds *[]pair[[]byte], id int32) string {
	if bounds != nil {
		for _, p := range *bounds {
			if p.Key == id {
				return string(p.Value)
			}
		}
	}
	return ""
}

// sequence is the data sequence number.
func (f *stateFile) sequence() int64 {
	if f.Sequence == nil {
		return 0
	}
	return *f.Sequence
}

// marred reports whether deletes may be about a data file.
func (s *state) marred(f *stateFile) bool {
	if len(s.scoped[found(f.File.Path)]) > 0 {
		return true
	}
	key := f.partition()
	after := func(d *stateFile) bool { return d.sequence() > f.sequence() }
	return slices.ContainsFunc(s.ranges[key], func(d *stateFile) bool { return d.sequence() >= f.sequence() }) ||
		slices.ContainsFunc(s.values[key], after) || slices.ContainsFunc(s.values[""], after)
}

// dangling adds to the files that are deleted the delete files that are then about no data file. Data files that are new have
// names that no delete file knows, and are newer than all of them.
func (s *state) dangling(gone map[fileKey]bool) (n int) {
	live := map[string]bool{}
	oldest := map[string]int64{} // data sequence number of the data files, by partition, "" = of all
	for _, f := range s.data {
		if gone[f.File.key()] {
			continue
		}
		live[found(f.File.Path)] = true
		for _, key := range []string{f.partition(), ""} {
			if least, ok := oldest[key]; !ok || f.sequence() < least {
				oldest[key] = f.sequence()
			}
		}
	}
	drop := func(d *stateFile) {
		if k := d.File.key(); !gone[k] {
			gone[k] = true
			n++
		}
	}
	for path, list := range s.scoped {
		for _, d := range list {
			if !live[path] {
				drop(d)
			}
		}
	}
	for key, list := range s.ranges {
		for _, d := range list {
			if least, ok := oldest[key]; !ok || least > d.sequence() {
				drop(d)
			}
		}
	}
	for key, list := range s.values {
		for _, d := range list {
			if least, ok := oldest[key]; !ok || least >= d.sequence() {
				drop(d)
			}
		}
	}
	return n
}
