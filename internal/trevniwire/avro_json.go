package trevniwire

import (
	"encoding/json"
	"strings"
)

// JSON returns the schema as the text of avro.schema, compact, in the order in which Java writes attributes.
func (s *Avro) JSON() []byte {
	w := avroText{seen: map[string]bool{}}
	w.schema(s, "")
	return []byte(w.b.String())
}

// avroText writes a schema; a named type in full where it first stands, by its name behind that.
type avroText struct {
	b    strings.Builder
	seen map[string]bool
}

func (w *avroText) str(s string) {
	t, _ := json.Marshal(s) //nolint:errchkjson // a string always marshals
	w.b.Write(t)
}

func (w *avroText) attr(name, value string) {
	w.b.WriteString(`,"` + name + `":`)
	w.str(value)
}

// meta writes the property PropArrowMetadata where there is something to say.
func (w *avroText) meta(kv []string) {
	if len(kv) > 0 {
		t, _ := json.Marshal(kv) //nolint:errchkjson // texts always marshal
		w.b.WriteString(`,"` + PropArrowMetadata + `":` + string(t))
	}
}

func (w *avroText) schema(s *Avro, ns string) {
	switch s.Kind {
	case AvroPrimitive:
		if s.Logical == "" {
			w.str(s.Name)
			return
		}
		w.b.WriteString(`{"type":`)
		w.str(s.Name)
		w.logical(s)
		w.b.WriteByte('}')
		return
	case AvroArray, AvroMap:
		key := map[AvroKind]string{AvroArray: "items", AvroMap: "values"}[s.Kind]
		w.b.WriteString(`{"type":"` + s.Name + `","` + key + `":`)
		w.schema(s.Items, ns)
		w.meta(s.ItemMeta)
		w.b.WriteByte('}')
		return
	case AvroUnion:
		w.b.WriteByte('[')
		for i, b := range s.Branches {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.schema(b, ns)
		}
		w.b.WriteByte(']')
		return
	}
	w.named(s, ns)
}

func (w *avroText) named(s *Avro, ns string) {
	if w.seen[s.Name] {
		w.str(s.Name)
		return
	}
	w.seen[s.Name] = true
	space, name := "", s.Name
	if i := strings.LastIndexByte(s.Name, '.'); i >= 0 {
		space, name = s.Name[:i], s.Name[i+1:]
	}
	w.b.WriteString(`{"type":"` + map[AvroKind]string{AvroRecord: "record", AvroEnum: "enum", AvroFixed: "fixed"}[s.Kind] + `"`)
	w.attr("name", name)
	if space != ns {
		w.attr("namespace", space)
	}
	switch s.Kind {
	case AvroFixed:
		size, _ := json.Marshal(s.Size) //nolint:errchkjson // an int always marshals
		w.b.WriteString(`,"size":` + string(size))
		w.logical(s)
	case AvroEnum:
		w.b.WriteString(`,"symbols":[`)
		for i, x := range s.Symbols {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.str(x)
		}
		w.b.WriteByte(']')
	default:
		w.b.WriteString(`,"fields":[`)
		for i, f := range s.Fields {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.b.WriteString(`{"name":`)
			w.str(f.Name)
			w.b.WriteString(`,"type":`)
			w.schema(f.Type, space)
			if f.Arrow != nil {
				w.attr(PropArrowName, *f.Arrow)
			}
			w.meta(f.Meta)
			w.b.WriteByte('}')
		}
		w.b.WriteByte(']')
	}
	w.b.WriteByte('}')
}

func (w *avroText) logical(s *Avro) {
	if s.Logical == "" {
		return
	}
	w.attr("logicalType", s.Logical)
	if s.Logical == "decimal" && s.Precision > 0 {
		p, _ := json.Marshal(s.Precision) //nolint:errchkjson // ints always marshal
		q, _ := json.Marshal(s.Scale)     //nolint:errchkjson
		w.b.WriteString(`,"precision":` + string(p) + `,"scale":` + string(q))
	}
}
