package main

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/pathjson"
)

// warning is a warning as Python sees it: with the bytes of the name of its file.
type warning struct{ arrowio.Warning }

// told returns warnings as values of this type.
func told(all []arrowio.Warning) []warning {
	out := make([]warning, len(all))
	for i, w := range all {
		out[i].Warning = w
	}
	return out
}

// MarshalJSON implements json.Marshaler.
func (w warning) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(w.Warning)
	if err != nil || utf8.ValidString(w.File) {
		return b, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	if doc["file"], err = json.Marshal(pathjson.Path(w.File)); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}
