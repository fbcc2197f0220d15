package geoarrow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// IsName reports whether an extension type is one of GeoArrow's, which all have metadata that Parse reads.
func IsName(name string) bool { return strings.HasPrefix(name, "geoarrow.") }

// SameCRS reports whether two coordinate reference systems are known to be the same one: identifiers are, whatever their case, PROJJSON
// of one identifier is, and so is equal JSON. All other texts must be equal.
func SameCRS(a, b string) bool { return a == b || canonical(a) == canonical(b) }

// canonical is a text that is the same for one coordinate reference system.
func canonical(crs string) string {
	if crs == "" {
		return DefaultCRS
	}
	if id := identifier(crs); id != "" {
		return strings.ToUpper(id)
	}
	if !isObject(crs) {
		return crs
	}
	text, _ := inOrder(crs)
	return text
}

func isObject(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") }

// inOrder returns JSON without blanks, its keys in order. It returns s itself, and false, if that is no JSON.
func inOrder(s string) (string, bool) {
	if !json.Valid([]byte(s)) {
		return s, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var doc any
	if d.Decode(&doc) != nil {
		return s, false
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return s, false
	}
	return string(b), true
}

// SameJSON reports whether two metadata of extension types are the same JSON, written in whatever way; "" stands for {}.
func SameJSON(a, b string) bool {
	x, ok := inOrder(cmp.Or(a, "{}"))
	y, both := inOrder(cmp.Or(b, "{}"))
	return ok && both && x == y
}

// identifier returns the authority and code of a coordinate reference system, EPSG:4326; "" = it has none.
func identifier(crs string) string {
	authority, code, ok := strings.Cut(crs, ":")
	if ok && isWord(authority) && isWord(code) && authority != "projjson" {
		return crs
	}
	var doc projJSON
	if !isObject(crs) || json.Unmarshal([]byte(crs), &doc) != nil {
		return ""
	}
	code = string(bytes.Trim(doc.ID.Code, `"`))
	if !isWord(doc.ID.Authority) || !isWord(code) || strings.Contains("nft", string(doc.ID.Code[:1])) { // null, false, true
		return ""
	}
	return doc.ID.Authority + ":" + code
}

// projJSON is what is looked at of PROJJSON. The code is a number or a text.
type projJSON struct {
	Name string `json:"name"`
	ID   struct {
		Authority string          `json:"authority"`
		Code      json.RawMessage `json:"code"`
	} `json:"id"`
}

// ShortCRS returns a coordinate reference system for messages: its identifier, or the name that its PROJJSON has, or the
// beginning of its text.
func ShortCRS(crs string) string {
	if crs == "" {
		return DefaultCRS
	}
	if id := identifier(crs); id != "" {
		return id
	}
	var doc projJSON
	if json.Unmarshal([]byte(crs), &doc) == nil && doc.Name != "" {
		crs = doc.Name
	}
	const most = 60
	if r := []rune(crs); len(r) > most {
		crs = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", crs)
}
