package iceberg

import (
	"encoding/json"
	"slices"
)

// Name says which id a column without one has: it is called one of Names, below a column that is found likewise
// (Iceberg table specification, "Column Projection", "Name Mapping Serialization").
type Name struct {
	ID     int32 // -1 = none: what is inside may have ids
	Names  []string
	Fields []Name
	Said   bool // a mapping says it, not the schema
}

// ParseNames reads a mapping: [{"field-id": 1, "names": ["a", "b"], "fields": [...]}, ...]. The result is not nil. Errors
// are errs.ErrOption.
func ParseNames(text []byte) ([]Name, error) {
	type raw struct {
		ID     *int64            `json:"field-id"`
		Names  []string          `json:"names"`
		Fields []json.RawMessage `json:"fields"`
	}
	count := 0
	var read func(in []json.RawMessage, depth int) ([]Name, error)
	read = func(in []json.RawMessage, depth int) ([]Name, error) {
		if depth > deepest {
			return nil, bad("the mapping of names: more than %d fields inside one another", deepest)
		}
		out := []Name{}
		for _, text := range in {
			var r raw
			if err := json.Unmarshal(text, &r); err != nil {
				return nil, bad("the mapping of names: %w", err)
			}
			if count++; count > most {
				return nil, bad("the mapping of names: more than %d fields", most)
			}
			n := Name{ID: -1, Names: r.Names, Said: true}
			if r.ID != nil {
				if *r.ID < 0 || *r.ID != int64(int32(*r.ID)) {
					return nil, bad("the mapping of names: %d is no id", *r.ID)
				}
				n.ID = int32(*r.ID)
			}
			var err error
			if n.Fields, err = read(r.Fields, depth+1); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, bad("the mapping of names: %w", err)
	}
	return read(list, 0)
}

// NamesOf is the mapping of a schema whose fields were never called otherwise.
func NamesOf(fields []Field) []Name {
	out := make([]Name, len(fields))
	for i, f := range fields {
		out[i] = Name{ID: f.ID, Names: []string{f.Name}, Fields: NamesOf(f.Type.Fields)}
	}
	return out
}

// Lookup returns what a mapping says of a name; nil = nothing. Names are compared to the case.
func Lookup(mapping []Name, name string) *Name {
	for i := range mapping {
		if slices.Contains(mapping[i].Names, name) {
			return &mapping[i]
		}
	}
	return nil
}
