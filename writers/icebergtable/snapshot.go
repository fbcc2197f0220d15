package icebergtable

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// Operations of snapshots.
const (
	opAppend    = "append"
	opOverwrite = "overwrite"
	opDelete    = "delete"
	opReplace   = "replace"
)

// change is what becomes of a table.
type change struct {
	op    string
	id    int64    // of the snapshot
	added []*batch // files that the table gets
	// replace says that all files that the table has are deleted.
	replace bool
	// partitions says that the files of the partitions of the added ones are deleted, for the summary.
	partitions bool
	gone       map[fileKey]bool // files that are deleted
	tally      tally            // of the added files
}

// batch is files that one manifest lists.
type batch struct {
	spec     int
	deletes  bool
	entries  []manifestEntry
	keep     bool          // the manifest is written once for all attempts
	manifest *manifestFile // once it is written
}

// fileKey tells files of a table apart: a Puffin file has several deletion vectors.
type fileKey struct {
	path   string
	offset int64
}

func (f *dataFile) key() fileKey {
	k := fileKey{path: f.Path}
	if f.Offset != nil {
		k.offset = *f.Offset
	}
	return k
}

// tally counts what a snapshot changes, for its summary.
type tally struct {
	addedFiles, addedRows, addedBytes             int64
	addedDeletes, addedVectors, addedPositions    int64
	deletedFiles, deletedRows, deletedBytes       int64
	removedDeletes, removedPositions, removedEqus int64
	removedVectors, removedPositionFiles          int64
}

// snapshotDocument is the JSON of a snapshot.
type snapshotDocument struct {
	Sequence  *int64            `json:"sequence-number,omitempty"`
	ID        int64             `json:"snapshot-id"`
	Parent    *int64            `json:"parent-snapshot-id,omitempty"`
	Time      int64             `json:"timestamp-ms"`
	Summary   map[string]string `json:"summary"`
	List      string            `json:"manifest-list"`
	SchemaID  int               `json:"schema-id"`
	FirstRow  *int64            `json:"first-row-id,omitempty"`
	AddedRows *int64            `json:"added-rows,omitempty"`
}

// prepared is a snapshot whose files are written.
type prepared struct {
	snapshotDocument
	nextRow int64 // of the table, in format version 3
}

// writer writes metadata of a table, and notes which.
type writer struct {
	place
	most int64 // bytes of a file of metadata
	// mostManifests bounds the manifests of a snapshot.
	mostManifests int
	written       []string
	attempt       []string // those that are of no use if the commit does not succeed at once
	stale         []string // of attempts that did not

	cache  map[string][]manifestEntry // by manifest: see cachedEntries
	cached int64                      // about, bytes of these
}

func (w *writer) put(ctx context.Context, location string, b []byte) error {
	w.written = append(w.written, location)
	w.attempt = append(w.attempt, location)
	return errs.Locate(w.write(ctx, location, b), errs.At{File: location})
}

// newName returns a name that nothing has.
func newName() string { return uuid.NewString() }

// snapshot writes the manifests and the manifest list of a change to a state of the table.
func (w *writer) snapshot(ctx context.Context, b *base, c *change) (*prepared, error) {
	parent, err := b.current()
	if err != nil {
		return nil, err
	}
	p := &prepared{nextRow: b.number("next-row-id", 0)}
	p.ID, p.SchemaID = c.id, b.meta.SchemaID
	p.Time = max(time.Now().UnixMilli(), b.meta.Updated)
	sequence := int64(0)
	if b.meta.Version > 1 {
		sequence = b.meta.Sequence + 1
		p.Sequence = &sequence
	}
	before := map[string]string{}
	var old []manifestFile
	if parent != nil {
		p.Parent, before = &parent.ID, parent.Summary
		if old, err = w.manifests(ctx, b, parent.List); err != nil {
			return nil, err
		}
	}
	t := c.tally
	switch {
	case c.replace:
		old, err = w.deleted(ctx, b, c, old, sequence, &t)
	case len(c.gone) > 0:
		old, err = w.without(ctx, b, c, old, sequence, &t)
	}
	if err != nil {
		return nil, err
	}
	list := []manifestFile{}
	for _, g := range c.added {
		if err := w.addedManifest(ctx, b, c, g); err != nil {
			return nil, err
		}
		m := *g.manifest
		m.Sequence, m.MinSequence = sequence, leastSequence(g.entries, sequence)
		list = append(list, m)
	}
	list = append(list, old...)
	if b.meta.Version > 2 {
		first := p.nextRow
		p.FirstRow = &first
		for i := range list {
			if m := &list[i]; m.Content == 0 && m.FirstRow == nil {
				id := p.nextRow
				m.FirstRow = &id
				p.nextRow += *m.AddedRows + *m.ExistingRows
			}
		}
		n := p.nextRow - first
		p.AddedRows = &n
	}
	md := map[string]string{"snapshot-id": strconv.FormatInt(c.id, 10), "parent-snapshot-id": "null", "format-version": strconv.Itoa(b.meta.Version)}
	if p.Parent != nil {
		md["parent-snapshot-id"] = strconv.FormatInt(*p.Parent, 10)
	}
	if b.meta.Version > 1 {
		md["sequence-number"] = strconv.FormatInt(sequence, 10)
	}
	if p.FirstRow != nil {
		md["first-row-id"] = strconv.FormatInt(*p.FirstRow, 10)
	}
	text, err := writeAvro(listSchema(b.meta.Version), md, list)
	if err != nil {
		return nil, err
	}
	p.Summary = t.summary(c.op, before, c.replace)
	if c.partitions {
		p.Summary["replace-partitions"] = "true"
	}
	p.List = fmt.Sprintf("%s/metadata/snap-%d-%s.avro", b.location(), c.id, newName())
	return p, w.put(ctx, p.List, text)
}

// addedManifest writes the manifest of added files.
func (w *writer) addedManifest(ctx context.Context, b *base, c *change, g *batch) error {
	if g.manifest != nil {
		return nil
	}
	m, err := w.newManifest(ctx, b, c, g.spec, g.deletes, g.entries)
	if err != nil {
		return err
	}
	if g.keep {
		w.attempt = slices.DeleteFunc(w.attempt, func(location string) bool { return location == m.Path })
	}
	g.manifest = &m
	return nil
}

func (w *writer) newManifest(ctx context.Context, b *base, c *change, spec int, deletes bool, entries []manifestEntry) (manifestFile, error) {
	text, m, err := b.manifestOf(spec, deletes, entries)
	if err != nil {
		return m, err
	}
	m.Path, m.Length, m.SnapshotID = b.location()+"/metadata/"+newName()+"-m0.avro", int64(len(text)), &c.id
	return m, w.put(ctx, m.Path, text)
}

// readOwn reads a file of metadata, which must be in the table's directory: metadata may come from anywhere.
func (w *writer) readOwn(ctx context.Context, b *base, location string) ([]byte, error) {
	if home := found(b.location()); !strings.HasPrefix(found(location), home+"/") {
		return nil, errs.Errorf(errs.ErrUnsupported, "the metadata name the file %s, which is not in the table's directory %s: such tables are not written", location, home)
	}
	return w.read(ctx, location, w.most)
}

// manifests reads a manifest list.
func (w *writer) manifests(ctx context.Context, b *base, list string) ([]manifestFile, error) {
	text, err := w.readOwn(ctx, b, list)
	if err != nil {
		return nil, err
	}
	var out []manifestFile
	_, err = readAvro(text, w.most, listFields, func(m *manifestFile) error {
		m.renamed()
		switch {
		case len(out) >= w.mostManifests:
			return errs.Errorf(errs.ErrLimit, "more than %d manifests (Limits.Splits)", w.mostManifests)
		case m.Key != nil && len(*m.Key) > 0:
			return errs.Errorf(errs.ErrUnsupported, "the manifest %s is encrypted: such tables are not written", m.Path)
		case b.meta.Version > 1 && !m.complete():
			return errs.Errorf(errs.ErrUnsupported, "the manifest list does not say how many files and rows the manifest %s lists: have another program rewrite the manifests", m.Path)
		}
		out = append(out, *m)
		return nil
	})
	return out, errs.Locate(err, errs.At{File: list, Op: "manifest list"})
}

// entries reads a manifest, without the files that were deleted before. Sequence numbers that they inherit are filled in.
func (w *writer) entries(ctx context.Context, b *base, m *manifestFile) ([]manifestEntry, error) {
	spec, ok := b.meta.Specs[int(m.SpecID)]
	if !ok {
		return nil, corrupt("the manifest %s has partition spec %d, which the metadata do not have", m.Path, m.SpecID)
	}
	parts, err := partFields(spec, b.allFields())
	if err != nil {
		return nil, err
	}
	text, err := w.readOwn(ctx, b, m.Path)
	if err != nil {
		return nil, err
	}
	const times = 16 // Limits.MetadataBytes
	held := int64(0)
	var out []manifestEntry
	next := m.FirstRow
	root, err := readAvro(text, w.most, entryFields, func(e *manifestEntry) error {
		if e.Status == statusDeleted {
			return nil
		}
		if e.Status != statusExisting && e.Status != statusAdded {
			return corrupt("file %s has status %d, which is not known", e.File.Path, e.Status)
		}
		if held += e.File.held(); held > times*w.most {
			return errs.Errorf(errs.ErrLimit, "the files that it lists take more than %d bytes to describe (%d times Limits.MetadataBytes)", times*w.most, times)
		}
		if e.Sequence == nil {
			e.Sequence = &m.Sequence
		}
		if e.FileSequence == nil {
			e.FileSequence = e.Sequence
		}
		if e.SnapshotID == nil {
			e.SnapshotID = m.SnapshotID
		}
		if m.Content == 0 && e.File.FirstRow == nil && next != nil {
			id := *next
			e.File.FirstRow = &id
			id += e.File.Rows
			next = &id
		}
		out = append(out, *e)
		return nil
	})
	if err != nil {
		return nil, errs.Locate(err, errs.At{File: m.Path, Op: "manifest"})
	}
	names := partitionNames(root)
	for i := range out {
		f := &out[i].File
		had := f.Partition
		f.Partition = map[string]any{}
		for k := range parts {
			f.Partition[parts[k].avroName] = inAvro(&parts[k].typ, fromAvro(&parts[k].typ, had[names[parts[k].ID]]))
		}
	}
	return out, nil
}

// next returns the metadata of the table with a snapshot as the current one.
func (b *base) next(p *prepared) ([]byte, error) {
	raw := maps.Clone(b.raw)
	var err error
	set := func(key string, v any) {
		if err == nil {
			raw[key], err = json.Marshal(v)
		}
	}
	list := func(key string) []json.RawMessage {
		var out []json.RawMessage
		if text, ok := b.raw[key]; ok && err == nil {
			err = json.Unmarshal(text, &out)
		}
		return out
	}
	set("last-updated-ms", p.Time)
	set("current-snapshot-id", p.ID)
	if p.Sequence != nil {
		set("last-sequence-number", *p.Sequence)
	}
	if b.meta.Version > 2 {
		set("next-row-id", p.nextRow)
	}
	text, jsonErr := json.Marshal(p.snapshotDocument)
	if jsonErr != nil {
		return nil, jsonErr
	}
	set("snapshots", append(list("snapshots"), text))
	set("snapshot-log", append(list("snapshot-log"), json.RawMessage(fmt.Sprintf(`{"timestamp-ms":%d,"snapshot-id":%d}`, p.Time, p.ID))))
	if b.where != "" {
		where, jsonErr := json.Marshal(b.where)
		if jsonErr != nil {
			return nil, jsonErr
		}
		log := append(list("metadata-log"), json.RawMessage(fmt.Sprintf(`{"timestamp-ms":%d,"metadata-file":%s}`, b.meta.Updated, where)))
		most := max(1, b.prop("write.metadata.previous-versions-max", 100))
		set("metadata-log", log[max(0, len(log)-int(most)):])
	}
	refs := map[string]json.RawMessage{}
	if text, ok := b.raw["refs"]; ok && err == nil {
		err = json.Unmarshal(text, &refs)
	}
	if err == nil {
		refs["main"], err = json.Marshal(b.main(p.ID))
	}
	set("refs", refs)
	if err != nil {
		return nil, corrupt("the metadata of the table: %w", err)
	}
	return json.Marshal(raw)
}

// main is the branch main with a snapshot, and what it had been told to keep.
func (b *base) main(id int64) map[string]any {
	var refs map[string]map[string]any
	out := map[string]any{}
	if json.Unmarshal(b.raw["refs"], &refs) == nil {
		for _, k := range slices.Sorted(maps.Keys(refs["main"])) {
			if n, ok := refs["main"][k].(float64); ok && k != "snapshot-id" {
				out[k] = int64(n)
			}
		}
	}
	out["type"], out["snapshot-id"] = "branch", id
	return out
}

// newTable returns the metadata of a table without rows.
func newTable(location string, version int, fields []iceberg.Field, spec []specDocument, props map[string]string) (*base, error) {
	schema, err := iceberg.SchemaJSON(fields)
	if err != nil {
		return nil, err
	}
	lastPartition := firstPartitionID - 1 + len(spec)
	m := map[string]any{
		"format-version": version, "table-uuid": newName(), "location": location, "last-updated-ms": time.Now().UnixMilli(), "last-column-id": highest(fields),
		"current-schema-id": 0, "schemas": []json.RawMessage{schema}, "default-spec-id": 0, "partition-specs": []any{map[string]any{"spec-id": 0, "fields": spec}},
		"last-partition-id": lastPartition, "default-sort-order-id": 0, "sort-orders": []any{map[string]any{"order-id": 0, "fields": []any{}}},
		"properties": props, "current-snapshot-id": iceberg.NoSnapshot, "snapshots": []any{}, "snapshot-log": []any{}, "metadata-log": []any{}, "refs": map[string]any{},
	}
	switch version {
	case 1:
		m["schema"], m["partition-spec"] = schema, spec
	case 3:
		m["next-row-id"] = 0
		fallthrough
	default:
		m["last-sequence-number"] = 0
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return parseBase(text, "")
}

// firstPartitionID is the id of the first partition field.
const firstPartitionID = 1000

// highest is the highest id of fields, and of those inside of them.
func highest(fields []iceberg.Field) (n int32) {
	for i := range fields {
		n = max(n, fields[i].ID, highest(fields[i].Type.Fields))
	}
	return n
}
