package icebergtable

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/internal/icebergmeta"
	"github.com/arrowio/arrowio/internal/workers"
)

// table is what all files of a table share.
type table struct {
	reader *reader
	opt    tableOptions
	limits arrowio.Limits
	open   func(ctx context.Context, name string) (arrowio.OpenSource, error)

	fields  []iceberg.Field
	mapping []iceberg.Name
	schema  *arrow.Schema
	leaves  sync.Map // by path: *leaf
	purpose arrowio.Purpose
	held    held
}

func (r *reader) newTable(oo arrowio.OpenOptions) (*table, error) {
	o, err := parseOptions(oo.Options)
	if err != nil {
		return nil, err
	}
	t := &table{reader: r, opt: o, limits: oo.Limits.WithDefaults(), open: oo.OpenSource, purpose: oo.For}
	if t.open == nil {
		t.open = openLocal
	}
	t.held.most = o.deletes
	return t, nil
}

// show settles what the table is shown as.
func (t *table) show(fields []iceberg.Field) error {
	shown, err := iceberg.Schema(fields, iceberg.ArrowOptions{})
	if err != nil {
		return err
	}
	t.fields, t.schema = fields, arrow.NewSchema(shown, nil)
	return nil
}

// withLineage returns the fields of a table with those of row lineage.
func withLineage(m *iceberg.TableMetadata, fields []iceberg.Field) ([]iceberg.Field, error) {
	if m.Version < 3 {
		return nil, errs.Errorf(errs.ErrOption, "the table has format version %d, and rows have a lineage from version 3 on: %w cannot be used", m.Version, errs.Opt(optionLineage, ""))
	}
	lineage := iceberg.Lineage()
	for i := range fields {
		for _, l := range lineage {
			if fields[i].Name == l.Name {
				return nil, errs.Errorf(errs.ErrOption, "the table has a column %s of its own: %w cannot be used", l.Name, errs.Opt(optionLineage, ""))
			}
		}
	}
	return slices.Concat(fields, lineage), nil
}

// openTable implements arrowio.Format.OpenTable.
func (r *reader) openTable(ctx context.Context, tree arrowio.Tree, metadata string, oo arrowio.OpenOptions) ([]arrowio.Fragment, error) {
	t, err := r.newTable(oo)
	if err != nil {
		return nil, err
	}
	var src arrowio.OpenSource
	if metadata == "" {
		if metadata, err = icebergmeta.Current(ctx, tree); err != nil {
			return nil, err
		}
		src, err = tree.Open(ctx, metadata)
		metadata = tree.Path(metadata)
	} else {
		src, err = t.open(ctx, metadata)
	}
	if err != nil {
		return nil, err
	}
	var meta *iceberg.TableMetadata
	text, err := icebergmeta.Read(src, t.limits.MetadataBytes)
	if err == nil {
		meta, err = iceberg.ParseMetadata(text)
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: metadata, Format: Name, Op: "metadata"})
	}
	snapshot, fields, err := meta.Choose(t.opt.at)
	if err == nil && t.opt.lineage {
		fields, err = withLineage(meta, fields)
	}
	if err == nil {
		err = t.show(fields)
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: metadata, Format: Name})
	}
	t.mapping = meta.Mapping
	p := planner{table: t, meta: meta, places: newPlaces(tree.Path(""), meta.Location, t.opt)}
	if snapshot != nil {
		if err := p.read(ctx, snapshot); err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name})
		}
	}
	members, err := p.members()
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	if t.purpose != arrowio.ForRows {
		return p.described(tree.Path(""), snapshot, members), nil
	}
	if len(members) == 0 {
		empty := &member{table: t, file: file{Path: tree.Path(""), Format: emptyFormat}}
		return []arrowio.Fragment{empty.fragment()}, nil
	}
	return members, nil
}

// planner finds the files of a snapshot.
type planner struct {
	table   *table
	meta    *iceberg.TableMetadata
	places  *places
	data    []*entry
	deletes []*entry
	index   *deleteIndex
	faults  []error // of manifests and their list, which a verification reports

	mu     sync.Mutex
	bytes  int64            // about, of entries
	stored int64            // bytes of the list and the manifests
	rows   map[string]int64 // see rowsOfData
}

// manifestReaders is how many manifests are read at the same time.
const manifestReaders = 8

// read reads the manifests of a snapshot.
func (p *planner) read(ctx context.Context, s *iceberg.Snapshot) error {
	if s.KeyID != "" {
		return errs.Errorf(errs.ErrUnsupported, "the manifest list of snapshot %d is encrypted, which cannot be read", s.ID)
	}
	var list []manifest
	add := func(m manifest) error {
		if len(list) >= p.table.limits.Splits {
			return errs.Errorf(errs.ErrLimit, "more than %d manifests (Limits.Splits)", p.table.limits.Splits)
		}
		list = append(list, m)
		return nil
	}
	switch {
	case s.List != "":
		if err := p.avro(ctx, s.List, "manifest list", func(b []byte) error { return readList(bytes.NewReader(b), p.table.limits.MetadataBytes, add) }); err != nil {
			return err
		}
	case s.Manifests == nil:
		return corrupt("snapshot %d has neither a manifest list nor manifests", s.ID)
	default:
		for _, name := range s.Manifests {
			if err := add(manifest{Path: name, SpecID: -1, FirstRow: icebergfile.NoRowID, Said: (&rawSaid{}).said()}); err != nil {
				return err
			}
		}
	}
	found, faults := make([][]*entry, len(list)), make([][]error, len(list))
	err := workers.Each(manifestReaders, len(list), func(i int) error {
		m := list[i]
		if m.Encrypted {
			return errs.Errorf(errs.ErrUnsupported, "the manifest %s is encrypted, which cannot be read", m.Path)
		}
		return p.avro(ctx, m.Path, "manifest", func(b []byte) error {
			n, err := readManifest(bytes.NewReader(b), m, p.table.limits.MetadataBytes, func(e *entry) error {
				found[i] = append(found[i], e)
				return p.count(e)
			})
			if n.Bytes = int64(len(b)); err == nil && p.table.purpose == arrowio.ForVerify {
				faults[i] = p.checkManifest(m, n, s)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	p.faults = append(p.faults, slices.Concat(faults...)...)
	for _, entries := range found {
		for _, e := range entries {
			if e.Content == dataFile {
				p.data = append(p.data, e)
			} else {
				p.deletes = append(p.deletes, e)
			}
		}
	}
	return nil
}

// avro reads a file of entries whole. Errors name it, and what it is.
func (p *planner) avro(ctx context.Context, name, what string, read func(b []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	found, err := p.places.find(name)
	if err != nil {
		return err
	}
	src, err := p.table.open(ctx, found)
	if err != nil {
		return errs.Locate(err, errs.At{File: found})
	}
	b, err := icebergmeta.Whole(src, p.table.limits.MetadataBytes)
	if err == nil {
		p.mu.Lock()
		p.stored += int64(len(b))
		p.mu.Unlock()
		err = workers.Guard(func() error { return read(b) })
	}
	return errs.Locate(err, errs.At{File: found, Op: what})
}

// count bounds the memory of the entries: each takes about so much beside its texts.
func (p *planner) count(e *entry) error {
	const each, eachColumn, most = 512, 160, 16
	n := int64(each + len(e.Path) + eachColumn*len(e.Statistics))
	for _, s := range e.Statistics {
		n += int64(len(s.Lower) + len(s.Upper))
	}
	for _, v := range e.Partition {
		n += eachColumn + int64(len(v))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += n; p.bytes > most*p.table.limits.MetadataBytes {
		return errs.Errorf(errs.ErrLimit, "the manifests list files with more than %d bytes of descriptions (%d times Limits.MetadataBytes)", p.bytes, most)
	}
	return nil
}

// members returns the data files, each with the deletes that are about it.
func (p *planner) members() ([]arrowio.Fragment, error) {
	index, err := p.indexDeletes()
	if err != nil {
		return nil, err
	}
	p.index = index
	out := make([]arrowio.Fragment, len(p.data))
	for i, e := range p.data {
		m, err := p.member(e)
		if err != nil {
			return nil, err
		}
		if m.deletes, err = index.of(e); err != nil {
			return nil, err
		}
		out[i] = m.fragment()
	}
	return out, nil
}

// check refuses files that cannot be read as they are meant.
func (p *planner) check(e *entry) error {
	if e.Encrypted {
		return errs.Errorf(errs.ErrUnsupported, "the file %s is encrypted, which cannot be read", e.Path)
	}
	if _, ok := p.table.reader.files[e.Format]; !ok && !e.vector() {
		return errs.Errorf(errs.ErrUnsupported, "the file %s is in the format %.40q; files in %s can be read", e.Path, e.Format, strings.Join(p.table.reader.names(), " and "))
	}
	return nil
}

func (r *reader) names() (out []string) {
	for name := range r.files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (p *planner) member(e *entry) (*member, error) {
	if err := p.check(e); err != nil {
		return nil, err
	}
	found, err := p.places.find(e.Path)
	if err != nil {
		return nil, err
	}
	m := &member{table: p.table, stats: e.Statistics, file: file{Path: found, Said: e.Path, Format: e.Format, Rows: e.Rows, Bytes: e.Bytes}}
	if p.table.opt.lineage {
		m.Lineage = &icebergfile.Lineage{First: e.FirstRow, Sequence: e.Sequence}
	}
	spec, err := p.spec(e)
	if err != nil {
		return nil, err
	}
	for _, f := range spec.Fields {
		v, ok := e.Partition[f.ID]
		if !ok {
			continue
		}
		m.partition = append(m.partition, partitionValue{f, v})
		if f.Transform.Kind == iceberg.Identity {
			m.Identity = append(m.Identity, identity{f.Source, v})
		}
	}
	return m, nil
}

// spec returns the partition spec of a file. A manifest that version 1 lists by its path alone does not say which it has: then it
// is the one that has its fields.
func (p *planner) spec(e *entry) (iceberg.Spec, error) {
	if s, ok := p.meta.Specs[e.SpecID]; ok {
		return s, nil
	}
	if e.SpecID >= 0 {
		return iceberg.Spec{}, corrupt("the file %s has partition spec %d, which the metadata do not have", e.Path, e.SpecID)
	}
	for _, s := range p.meta.Specs {
		if len(s.Fields) == len(e.Partition) && !slices.ContainsFunc(s.Fields, func(f iceberg.PartitionField) bool {
			_, ok := e.Partition[f.ID]
			return !ok
		}) {
			return s, nil
		}
	}
	return iceberg.Spec{}, corrupt("the file %s has partition fields that no partition spec has", e.Path)
}

// partitionKey tells partitions apart.
func partitionKey(e *entry) string {
	ids := make([]int32, 0, len(e.Partition))
	for id := range e.Partition {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b strings.Builder
	fmt.Fprintf(&b, "%d", e.SpecID)
	for _, id := range ids {
		v := e.Partition[id]
		fmt.Fprintf(&b, " %d=%t:%x", id, v == nil, v)
	}
	return b.String()
}
