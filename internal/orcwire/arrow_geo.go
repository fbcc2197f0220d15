package orcwire

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/geoarrow"
)

// mostProjJSON is how many bytes of PROJJSON all columns together may have: many columns may name one key.
const mostProjJSON = 16 << 20

// systems finds coordinate reference systems "projjson:KEY", whose PROJJSON is user metadata of the file.
type systems struct {
	user []arrowmeta.Pair
	left int // bytes that may be put in the place of keys
}

// resolved returns a geometry or geography with the PROJJSON in the place of its key: other files do not have the key. A type of
// another kind, or with a key that the file does not have, is returned as it is.
func (s *systems) resolved(t *Type) *Type {
	key, ok := geoarrow.Property(t.CRS)
	if !ok || s == nil || t.Kind != Geometry && t.Kind != Geography {
		return t
	}
	i := slices.IndexFunc(s.user, func(kv arrowmeta.Pair) bool { return kv.Key == key })
	if i < 0 || len(s.user[i].Value) > s.left || !bytes.HasPrefix(s.user[i].Value, []byte("{")) || !json.Valid(s.user[i].Value) {
		return t
	}
	s.left -= len(s.user[i].Value)
	shown := *t
	shown.CRS = string(s.user[i].Value)
	return &shown
}
