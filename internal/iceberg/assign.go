package iceberg

import (
	"encoding/json"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// NoID is the id of a field that has none yet.
const NoID = -1

// AssignIDs gives ids to fields that have none, behind the highest that there is: to the fields of a struct in order, and
// then to what is in each of them, as Iceberg does. An id that two fields have is errs.ErrSchema.
func AssignIDs(fields []Field) error {
	seen := map[int32]string{}
	highest := int32(0)
	var look func(fields []Field, path string) error
	look = func(fields []Field, path string) error {
		for i := range fields {
			f := &fields[i]
			at := path + f.Name
			if other, ok := seen[f.ID]; ok && f.ID != NoID {
				e := errs.Errorf(errs.ErrSchema, "it has the id %d of %s", f.ID, other)
				e.Column = at
				return e
			}
			seen[f.ID] = at
			if f.ID <= math.MaxInt32-200 { // those behind are reserved
				highest = max(highest, f.ID)
			}
			if err := look(f.Type.Fields, at+"."); err != nil {
				return err
			}
		}
		return nil
	}
	if err := look(fields, ""); err != nil {
		return err
	}
	if highest > math.MaxInt32-most-1 {
		return errs.Errorf(errs.ErrSchema, "no ids are left behind %d", highest)
	}
	var assign func(fields []Field)
	assign = func(fields []Field) {
		for i := range fields {
			if fields[i].ID == NoID {
				highest++
				fields[i].ID = highest
			}
		}
		for i := range fields {
			assign(fields[i].Type.Fields)
		}
	}
	assign(fields)
	return nil
}

// SchemaJSON returns the JSON of a schema of fields, which Parse reads.
func SchemaJSON(fields []Field) (json.RawMessage, error) {
	return json.Marshal(struct {
		ID any `json:"schema-id"`
		document
	}{0, typeJSON(&Type{Kind: Struct, Fields: fields}).(document)})
}

// document is the JSON of a type with others inside.
type document struct {
	Type            string          `json:"type"`
	Fields          []fieldDocument `json:"fields,omitzero"`
	ElementID       *int32          `json:"element-id,omitempty"`
	Element         any             `json:"element,omitempty"`
	ElementRequired *bool           `json:"element-required,omitempty"`
	KeyID           *int32          `json:"key-id,omitempty"`
	Key             any             `json:"key,omitempty"`
	ValueID         *int32          `json:"value-id,omitempty"`
	Value           any             `json:"value,omitempty"`
	ValueRequired   *bool           `json:"value-required,omitempty"`
}

type fieldDocument struct {
	ID       int32  `json:"id"`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Type     any    `json:"type"`
	// Default is the initial default; nil = none.
	Default json.RawMessage `json:"initial-default,omitempty"`
}

func typeJSON(t *Type) any {
	switch t.Kind {
	case Struct:
		d := document{Type: "struct", Fields: []fieldDocument{}}
		for i := range t.Fields {
			f := &t.Fields[i]
			d.Fields = append(d.Fields, fieldDocument{f.ID, f.Name, f.Required, typeJSON(&f.Type), f.Default})
		}
		return d
	case List:
		f := &t.Fields[0]
		return document{Type: "list", ElementID: &f.ID, Element: typeJSON(&f.Type), ElementRequired: &f.Required}
	case Map:
		k, v := &t.Fields[0], &t.Fields[1]
		return document{
			Type: "map", KeyID: &k.ID, Key: typeJSON(&k.Type), ValueID: &v.ID, Value: typeJSON(&v.Type), ValueRequired: &v.Required,
		}
	}
	return t.String()
}
