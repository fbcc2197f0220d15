package iceberg

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// TableMetadata is the metadata of a table: the content of its *.metadata.json (Iceberg table specification, "Table Metadata
// Fields").
type TableMetadata struct {
	Version   int // of the format: 1, 2 or 3
	UUID      string
	Location  string            // where the table says that it lies
	Updated   int64             // milliseconds since 1970
	Schemas   map[int][]Field   // by schema id; a schema that cannot be read is missing
	Unread    map[int]error     // why a schema is not in Schemas
	SchemaIDs []int             // in the order of the metadata
	SchemaID  int               // of the current schema
	Specs     map[int]Spec      // partition specs by id
	SpecID    int               // of the spec for new files
	Sequence  int64             // the last sequence number; 0 in version 1
	Order     []SortField       // how new files are sorted; nil = not at all
	Snapshots []Snapshot        // in the order of the metadata
	Current   int64             // id of the current snapshot; NoSnapshot = the table is empty
	Refs      map[string]Ref    // branches and tags
	Log       []LogEntry        // when which snapshot became the current one
	Mapping   []Name            // see Table.Mapping
	Props     map[string]string // the table's properties
}

// NoSnapshot is no snapshot's id.
const NoSnapshot = -1

// Snapshot is the state of a table at some time.
type Snapshot struct {
	ID        int64
	Parent    int64    // NoSnapshot = none
	Sequence  int64    // 0 in version 1
	Time      int64    // milliseconds since 1970
	SchemaID  int      // -1 = not said
	List      string   // location of the manifest list; "" = Manifests
	Manifests []string // locations, of version 1
	KeyID     string   // of the key that encrypts the manifest list; "" = it is not encrypted
	Summary   map[string]string
}

// Ref is a branch or a tag.
type Ref struct {
	Snapshot int64
	Branch   bool
}

// LogEntry says that a snapshot became the current one.
type LogEntry struct{ Time, Snapshot int64 }

// Spec says how a table is partitioned.
type Spec struct {
	ID     int
	Fields []PartitionField
}

// PartitionField is one value of a partition: a transform of a column.
type PartitionField struct {
	Source    int32 // id of the column; -1 = there are several
	ID        int32
	Name      string
	Transform Transform
}

// SortField is one part of a sort order: a transform of a column.
type SortField struct {
	Source     int32 // id of the column; -1 = there are several
	Transform  Transform
	Descending bool
	NullsFirst bool
}

// rawMetadata is the JSON of TableMetadata.
type rawMetadata struct {
	Version   *int              `json:"format-version"`
	UUID      string            `json:"table-uuid"`
	ViewUUID  string            `json:"view-uuid"` // of a view, which has no rows of its own
	Location  string            `json:"location"`
	Updated   int64             `json:"last-updated-ms"`
	Schema    json.RawMessage   `json:"schema"`
	Schemas   []json.RawMessage `json:"schemas"`
	SchemaID  *int              `json:"current-schema-id"`
	Spec      []rawPartition    `json:"partition-spec"`
	Specs     []rawSpec         `json:"partition-specs"`
	SpecID    *int              `json:"default-spec-id"`
	Sequence  int64             `json:"last-sequence-number"`
	Orders    []rawOrder        `json:"sort-orders"`
	OrderID   int               `json:"default-sort-order-id"`
	Props     map[string]string `json:"properties"`
	Current   *int64            `json:"current-snapshot-id"`
	Snapshots []rawSnapshot     `json:"snapshots"`
	Log       []struct {
		Time     int64 `json:"timestamp-ms"`
		Snapshot int64 `json:"snapshot-id"`
	} `json:"snapshot-log"`
	Refs map[string]struct {
		Snapshot int64  `json:"snapshot-id"`
		Type     string `json:"type"`
	} `json:"refs"`
}

type rawSpec struct {
	ID     int            `json:"spec-id"`
	Fields []rawPartition `json:"fields"`
}

type rawPartition struct {
	Source    *int32  `json:"source-id"`
	Sources   []int32 `json:"source-ids"`
	ID        *int32  `json:"field-id"`
	Name      string  `json:"name"`
	Transform string  `json:"transform"`
}

type rawOrder struct {
	ID     int `json:"order-id"`
	Fields []struct {
		Source    *int32 `json:"source-id"`
		Transform string `json:"transform"`
		Direction string `json:"direction"`
		Nulls     string `json:"null-order"`
	} `json:"fields"`
}

type rawSnapshot struct {
	ID        *int64            `json:"snapshot-id"`
	Parent    *int64            `json:"parent-snapshot-id"`
	Sequence  int64             `json:"sequence-number"`
	Time      int64             `json:"timestamp-ms"`
	SchemaID  *int              `json:"schema-id"`
	List      string            `json:"manifest-list"`
	Manifests []string          `json:"manifests"`
	KeyID     string            `json:"key-id"`
	Summary   map[string]string `json:"summary"`
}

// firstPartitionID is the id of the first partition field where version 1 does not say the ids.
const firstPartitionID = 1000

// ParseMetadata reads the metadata of a table. Errors are errs.ErrCorrupt; a version that is not known is
// errs.ErrUnsupported.
func ParseMetadata(text []byte) (*TableMetadata, error) {
	var raw rawMetadata
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, corrupt("the metadata of the table are not valid JSON: %w", err)
	}
	switch {
	case raw.ViewUUID != "":
		return nil, errs.Errorf(errs.ErrUnsupported, "this is a view, and only tables can be read: read the tables that it is about")
	case raw.Version == nil:
		return nil, corrupt("the metadata of the table have no format-version")
	case *raw.Version < 1:
		return nil, corrupt("the format-version of the table is %d", *raw.Version)
	case *raw.Version > 3:
		return nil, errs.Errorf(errs.ErrUnsupported, "the table has format version %d; versions 1 to 3 can be read", *raw.Version)
	case raw.Location == "":
		return nil, corrupt("the metadata of the table have no location")
	}
	m := &TableMetadata{
		Version: *raw.Version, UUID: raw.UUID, Location: raw.Location, Updated: raw.Updated, Props: raw.Props, Sequence: raw.Sequence,
		Schemas: map[int][]Field{}, Unread: map[int]error{}, Specs: map[int]Spec{}, Refs: map[string]Ref{}, Current: NoSnapshot,
	}
	if err := m.schemas(&raw); err != nil {
		return nil, err
	}
	if err := m.specs(&raw); err != nil {
		return nil, err
	}
	m.order(&raw)
	if err := m.snapshots(&raw); err != nil {
		return nil, err
	}
	if text, ok := raw.Props[mappingProperty]; ok {
		var err error
		if m.Mapping, err = ParseNames([]byte(text)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// asData returns an error about a schema that metadata have: it is one of the data, and not of an option.
func asData(err error) error {
	if e, ok := err.(*errs.Error); ok && errors.Is(e.Kind, errs.ErrOption) { //nolint:errorlint // what parseSchema returns
		c := *e
		c.Kind = errs.ErrCorrupt
		return &c
	}
	return err
}

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }

func (m *TableMetadata) schemas(raw *rawMetadata) error {
	all := raw.Schemas
	if len(all) == 0 {
		if raw.Schema == nil {
			return corrupt("the metadata of the table have no schema")
		}
		all = []json.RawMessage{raw.Schema}
	}
	for _, text := range all {
		var id struct {
			ID int `json:"schema-id"`
		}
		if err := json.Unmarshal(text, &id); err != nil {
			return corrupt("a schema of the table: %w", err)
		}
		if slices.Contains(m.SchemaIDs, id.ID) {
			return corrupt("two schemas of the table have the id %d", id.ID)
		}
		m.SchemaIDs = append(m.SchemaIDs, id.ID)
		fields, err := parseSchema(text)
		err = asData(err)
		if err != nil { // other schemas may be read
			m.Unread[id.ID] = err
			continue
		}
		m.Schemas[id.ID] = fields
	}
	switch {
	case raw.SchemaID != nil:
		m.SchemaID = *raw.SchemaID
	case len(raw.Schemas) == 0:
		m.SchemaID = m.SchemaIDs[0]
	default:
		return corrupt("the metadata of the table have schemas, but no current-schema-id")
	}
	if !slices.Contains(m.SchemaIDs, m.SchemaID) {
		return corrupt("the current schema of the table is %d, which the metadata do not have", m.SchemaID)
	}
	return nil
}

func (m *TableMetadata) specs(raw *rawMetadata) error {
	all := raw.Specs
	if len(all) == 0 {
		all = []rawSpec{{Fields: raw.Spec}}
	}
	if raw.SpecID != nil {
		m.SpecID = *raw.SpecID
	}
	for _, r := range all {
		s := Spec{ID: r.ID}
		for i, f := range r.Fields {
			p := PartitionField{Source: -1, ID: firstPartitionID + int32(i), Name: f.Name}
			switch {
			case f.Source != nil:
				p.Source = *f.Source
			case len(f.Sources) == 1:
				p.Source = f.Sources[0]
			}
			if f.ID != nil {
				p.ID = *f.ID
			}
			p.Transform = ParseTransform(f.Transform)
			s.Fields = append(s.Fields, p)
		}
		if _, ok := m.Specs[r.ID]; ok {
			return corrupt("two partition specs of the table have the id %d", r.ID)
		}
		m.Specs[r.ID] = s
	}
	return nil
}

func (m *TableMetadata) order(raw *rawMetadata) {
	for _, r := range raw.Orders {
		if r.ID != raw.OrderID {
			continue
		}
		for _, f := range r.Fields {
			x := SortField{Source: -1, Transform: ParseTransform(f.Transform), Descending: f.Direction == "desc", NullsFirst: f.Nulls == "nulls-first"}
			if f.Source != nil {
				x.Source = *f.Source
			}
			m.Order = append(m.Order, x)
		}
	}
}

func (m *TableMetadata) snapshots(raw *rawMetadata) error {
	for _, r := range raw.Snapshots {
		if r.ID == nil {
			return corrupt("a snapshot of the table has no id")
		}
		if m.Snapshot(*r.ID) != nil {
			return corrupt("two snapshots of the table have the id %d", *r.ID)
		}
		s := Snapshot{ID: *r.ID, Parent: NoSnapshot, Sequence: r.Sequence, Time: r.Time, SchemaID: -1, List: r.List, Manifests: r.Manifests, KeyID: r.KeyID, Summary: r.Summary}
		if r.Parent != nil {
			s.Parent = *r.Parent
		}
		if r.SchemaID != nil {
			s.SchemaID = *r.SchemaID
		}
		m.Snapshots = append(m.Snapshots, s)
	}
	if raw.Current != nil && *raw.Current != NoSnapshot {
		m.Current = *raw.Current
		if m.Snapshot(m.Current) == nil {
			return corrupt("the current snapshot of the table is %d, which the metadata do not have", m.Current)
		}
	}
	for name, r := range raw.Refs {
		if r.Type != "branch" && r.Type != "tag" {
			return corrupt("the reference %q of the table is a %q; references are branches and tags", name, r.Type)
		}
		m.Refs[name] = Ref{r.Snapshot, r.Type == "branch"}
	}
	for _, e := range raw.Log {
		m.Log = append(m.Log, LogEntry{e.Time, e.Snapshot})
	}
	return nil
}

// Snapshot returns the snapshot with an id; nil = there is none.
func (m *TableMetadata) Snapshot(id int64) *Snapshot {
	for i := range m.Snapshots {
		if m.Snapshots[i].ID == id {
			return &m.Snapshots[i]
		}
	}
	return nil
}

// At says which state of a table is meant. At most one of its fields is set; the zero value is the current state.
type At struct {
	Snapshot string // id
	Time     string // the last state that began at this time or before: RFC 3339, a date, or milliseconds since 1970
	Ref      string // name of a branch or a tag
}

// Choose returns the snapshot that at stands for, and the schema to show it under; a nil snapshot is a table without rows. A
// branch has the current schema of the table, as the current state has. A tag, and a snapshot that is named by its id or its
// time, has the schema with which it was written.
func (m *TableMetadata) Choose(at At) (*Snapshot, []Field, error) {
	given := 0
	for _, text := range []string{at.Snapshot, at.Time, at.Ref} {
		if text != "" {
			given++
		}
	}
	if given > 1 {
		return nil, nil, bad("choose one of a snapshot, a time, and a branch or tag")
	}
	var s *Snapshot
	schema := m.SchemaID
	own := func() {
		if s.SchemaID >= 0 {
			schema = s.SchemaID
		}
	}
	switch {
	case at.Snapshot != "":
		id, err := strconv.ParseInt(at.Snapshot, 10, 64)
		if err != nil {
			return nil, nil, bad("%q is no snapshot id; a branch or tag is named with %w", at.Snapshot, errs.Opt("iceberg-ref", ""))
		}
		if s = m.Snapshot(id); s == nil {
			return nil, nil, bad("the table has no snapshot %d%s", id, m.known())
		}
		own()
	case at.Time != "":
		ms, err := parseTime(at.Time)
		if err != nil {
			return nil, nil, err
		}
		if s, err = m.asOf(ms); err != nil {
			return nil, nil, err
		}
		own()
	case at.Ref != "":
		ref, ok := m.Refs[at.Ref]
		switch {
		case !ok && at.Ref == "main":
			s = m.Snapshot(m.Current)
		case !ok:
			return nil, nil, bad("the table has no branch or tag %q (known: %s)", at.Ref, m.refNames())
		default:
			if s = m.Snapshot(ref.Snapshot); s == nil {
				return nil, nil, corrupt("the reference %q stands for snapshot %d, which the metadata do not have", at.Ref, ref.Snapshot)
			}
			if !ref.Branch {
				own()
			}
		}
	default:
		s = m.Snapshot(m.Current)
	}
	fields, err := m.schema(schema)
	return s, fields, err
}

func (m *TableMetadata) schema(id int) ([]Field, error) {
	if err := m.Unread[id]; err != nil {
		return nil, err
	}
	fields, ok := m.Schemas[id]
	if !ok {
		return nil, corrupt("the metadata of the table have no schema %d", id)
	}
	return fields, nil
}

// knownSnapshots is how many snapshots an error lists.
const knownSnapshots = 8

func (m *TableMetadata) known() string {
	if len(m.Snapshots) == 0 {
		return ": it has no snapshots"
	}
	var out []string
	for _, s := range m.Snapshots[max(0, len(m.Snapshots)-knownSnapshots):] {
		out = append(out, strconv.FormatInt(s.ID, 10))
	}
	return " (the latest: " + strings.Join(out, ", ") + ")"
}

func (m *TableMetadata) refNames() string {
	out := []string{"main"}
	for name := range m.Refs {
		if name != "main" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// parseTime returns milliseconds since 1970.
func parseTime(text string) (int64, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ms, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, bad("%q is no time: write 2006-01-02T15:04:05Z, a date, or milliseconds since 1970; times without a zone are in UTC", text)
}

// asOf returns the snapshot that was current at a time.
func (m *TableMetadata) asOf(ms int64) (*Snapshot, error) {
	id, at := int64(NoSnapshot), int64(0)
	for _, e := range m.Log {
		if e.Time <= ms && (id == NoSnapshot || e.Time >= at) {
			id, at = e.Snapshot, e.Time
		}
	}
	if len(m.Log) == 0 { // a log is optional: the ancestors of the current snapshot were current, too
		seen := map[int64]bool{}
		for s := m.Snapshot(m.Current); s != nil && !seen[s.ID]; s = m.Snapshot(s.Parent) {
			seen[s.ID] = true
			if s.Time <= ms {
				id = s.ID
				break
			}
		}
	}
	when := time.UnixMilli(ms).UTC().Format(time.RFC3339)
	if id == NoSnapshot {
		return nil, bad("the table has no snapshot of %s or before", when)
	}
	s := m.Snapshot(id)
	if s == nil {
		return nil, bad("snapshot %d, which was current at %s, has expired", id, when)
	}
	return s, nil
}

// Table returns what is needed to read files of the table under a schema.
func (m *TableMetadata) Table(fields []Field) *Table {
	t := &Table{Current: fields, Mapping: m.Mapping}
	for _, id := range m.SchemaIDs {
		if other, ok := m.Schemas[id]; ok && !sameFields(other, fields) {
			t.Older = append(t.Older, other)
		}
	}
	return t
}

func sameFields(a, b []Field) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool {
		return x.ID == y.ID && x.Name == y.Name && x.Required == y.Required && bytes.Equal(x.Default, y.Default) &&
			x.Type.Kind == y.Type.Kind && x.Type.Precision == y.Type.Precision && x.Type.Scale == y.Type.Scale && x.Type.Length == y.Type.Length &&
			sameFields(x.Type.Fields, y.Type.Fields)
	})
}
