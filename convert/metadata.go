package convert

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// MetadataEdit changes the metadata that is written. The zero value changes nothing.
type MetadataEdit struct {
	// Set adds keys to the schema's metadata, or replaces their values. It is errs.ErrOption where the format has no place for one.
	Set map[string]string `json:"metadata,omitempty"`
	// Drop names keys to remove from the metadata of the schema and of all fields; "*" means all keys.
	Drop []string `json:"drop_metadata,omitempty"`
}

// Apply returns s with the changed metadata, or s itself if nothing changes. Keys are first dropped, then set. It is
// errs.ErrOption to drop a key that neither the schema nor a field has, or to name an empty key.
func (e MetadataEdit) Apply(s *arrow.Schema) (*arrow.Schema, error) { return e.apply(s, nil) }

// apply is Apply for the schema of files that have lost keys already, which may be dropped.
func (e MetadataEdit) apply(s *arrow.Schema, lost []arrowio.Loss) (*arrow.Schema, error) {
	if len(e.Set) == 0 && len(e.Drop) == 0 {
		return s, nil
	}
	d := dropper{keys: e.Drop, all: slices.Contains(e.Drop, "*"), found: map[string]bool{}, have: map[string]bool{}}
	for _, l := range lost {
		d.found[l.Key] = true
	}
	md := d.metadata(s.Metadata())
	fields := d.fields(s.Fields())
	for _, k := range e.Drop {
		if k != "*" && !d.found[k] {
			return nil, errs.Errorf(errs.ErrOption, "there is no metadata %q to drop; %s", k, d.list())
		}
	}
	set := make([]string, 0, len(e.Set))
	for k := range e.Set {
		if k == "" {
			return nil, errs.Errorf(errs.ErrOption, "metadata needs a name before its value")
		}
		set = append(set, k)
	}
	slices.Sort(set)
	keys, values := slices.Clone(md.Keys()), slices.Clone(md.Values())
	for _, k := range set {
		if i := slices.Index(keys, k); i >= 0 {
			values[i] = e.Set[k]
		} else {
			keys, values = append(keys, k), append(values, e.Set[k])
		}
	}
	md = arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md), nil
}

// written returns errs.ErrOption if a plan loses a key that was set: who sets a key wants it to be there.
func (e MetadataEdit) written(p *arrowio.WritePlan) error {
	for _, k := range p.Metadata {
		if _, set := e.Set[k.Key]; set && k.Loss != "" {
			return errs.Errorf(errs.ErrOption, "%w cannot be written as %s: %s", errs.Opt("metadata", k.Key+"=..."), p.Format, k.Loss)
		}
	}
	return nil
}

type dropper struct {
	keys  []string
	all   bool
	have  map[string]bool // keys that there are
	found map[string]bool // those of keys
}

// list says which keys there are.
func (d *dropper) list() string {
	if len(d.have) == 0 {
		return "there is none"
	}
	names := make([]string, 0, len(d.have))
	for k := range d.have {
		names = append(names, k)
	}
	slices.Sort(names)
	return "there are " + strings.Join(names, ", ")
}

func (d *dropper) metadata(md arrow.Metadata) arrow.Metadata {
	var keys, values []string
	for i, k := range md.Keys() {
		d.have[k] = true
		if d.all || slices.Contains(d.keys, k) {
			d.found[k] = true
			continue
		}
		keys, values = append(keys, k), append(values, md.Values()[i])
	}
	return arrow.NewMetadata(keys, values)
}

func (d *dropper) fields(fields []arrow.Field) []arrow.Field {
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		f.Metadata, f.Type = d.metadata(f.Metadata), d.dataType(f.Type)
		out[i] = f
	}
	return out
}

// dataType returns t without the metadata below it, or t itself where there is none.
func (d *dropper) dataType(t arrow.DataType) arrow.DataType {
	n, ok := t.(arrow.NestedType)
	if !ok || !hasMetadata(n) {
		return t
	}
	return arrowtype.WithChildren(t, d.fields(arrowtype.Children(t)))
}

func hasMetadata(t arrow.NestedType) bool {
	for _, f := range arrowtype.Children(t) {
		if f.Metadata.Len() > 0 {
			return true
		}
		if n, ok := f.Type.(arrow.NestedType); ok && hasMetadata(n) {
			return true
		}
	}
	return false
}
