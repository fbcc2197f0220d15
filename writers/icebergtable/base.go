package icebergtable

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// base is the state of a table that a change begins with.
type base struct {
	meta  *iceberg.TableMetadata
	raw   map[string]json.RawMessage // the metadata, with what is not known here
	where string                     // location of the metadata; "" = the table does not exist yet
	// version is the number in the name of the metadata, of tables that no catalog keeps.
	version int64
}

// parseBase reads the metadata of a table.
func parseBase(text []byte, where string) (*base, error) {
	b := &base{where: where}
	var err error
	if b.meta, err = iceberg.ParseMetadata(text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &b.raw); err != nil {
		return nil, corrupt("the metadata of the table are not valid JSON: %w", err)
	}
	return b, nil
}

// location is where the table says that it lies, without a slash at its end.
func (b *base) location() string {
	l := b.meta.Location
	for len(l) > 1 && l[len(l)-1] == '/' {
		l = l[:len(l)-1]
	}
	return l
}

// fields are those of the current schema.
func (b *base) fields() ([]iceberg.Field, error) {
	if err := b.meta.Unread[b.meta.SchemaID]; err != nil {
		return nil, err
	}
	return b.meta.Schemas[b.meta.SchemaID], nil
}

// allFields are the fields of the current schema, and behind them those of older ones.
func (b *base) allFields() []iceberg.Field {
	out := append([]iceberg.Field{}, b.meta.Schemas[b.meta.SchemaID]...)
	for _, id := range b.meta.SchemaIDs {
		if id != b.meta.SchemaID {
			out = append(out, b.meta.Schemas[id]...)
		}
	}
	return out
}

// schema is the JSON of the current schema.
func (b *base) schema() json.RawMessage {
	var all []json.RawMessage
	if text, ok := b.raw["schemas"]; ok && json.Unmarshal(text, &all) == nil {
		for _, text := range all {
			var id struct {
				ID int `json:"schema-id"`
			}
			if json.Unmarshal(text, &id) == nil && id.ID == b.meta.SchemaID {
				return text
			}
		}
	}
	return b.raw["schema"]
}

// current returns the current snapshot; nil = there is none.
func (b *base) current() (*iceberg.Snapshot, error) {
	s := b.meta.Snapshot(b.meta.Current)
	switch {
	case s == nil:
		return nil, nil //nolint:nilnil // the comment says so
	case s.KeyID != "":
		return nil, errs.Errorf(errs.ErrUnsupported, "the manifest list of snapshot %d is encrypted: such tables are not written", s.ID)
	case s.List == "":
		return nil, errs.Errorf(errs.ErrUnsupported, "snapshot %d has no manifest list, as the first versions of Iceberg wrote tables: such tables are not written", s.ID)
	}
	return s, nil
}

// number returns a number of the metadata; absent ones are what is said.
func (b *base) number(key string, absent int64) int64 {
	var n int64
	if text, ok := b.raw[key]; ok && json.Unmarshal(text, &n) == nil {
		return n
	}
	return absent
}

// prop returns a whole number that a property of the table says.
func (b *base) prop(key string, absent int64) int64 {
	if n, err := strconv.ParseInt(b.meta.Props[key], 10, 64); err == nil {
		return n
	}
	return absent
}

// newID returns an id that no snapshot of the table has.
func (b *base) newID() int64 {
	for {
		if id := rand.Int64(); id > 0 && b.meta.Snapshot(id) == nil {
			return id
		}
	}
}
