package arrowio

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// What is not known is null in JSON, and metadata is text or {"base64": …}: docs/json.md.

// MarshalJSON writes each field by its JSON name, and an unknown number of rows as null.
func (i Info) MarshalJSON() ([]byte, error) {
	type plain Info
	return marshal(struct {
		plain
		Rows     *int64         `json:"rows"`
		Metadata map[string]any `json:"metadata,omitempty"`
	}{plain(i), known(i.Rows), metadataJSON(i.Metadata)})
}

// MarshalJSON writes each field by its JSON name, and an unknown number of bytes as null.
func (c ColumnInfo) MarshalJSON() ([]byte, error) {
	type plain ColumnInfo
	return marshal(struct {
		plain
		Bytes    *int64         `json:"bytes"`
		Metadata map[string]any `json:"metadata,omitempty"`
	}{plain(c), known(c.Bytes), metadataJSON(c.Metadata)})
}

// MarshalJSON writes each field by its JSON name, and unknown numbers as null.
func (s ColumnStats) MarshalJSON() ([]byte, error) {
	type plain ColumnStats
	return marshal(struct {
		plain
		Values *int64 `json:"values"`
		Nulls  *int64 `json:"nulls"`
	}{plain(s), known(s.Values), known(s.Nulls)})
}

// MarshalJSON writes each field by its JSON name, and the offset as null for a group that is not in one place.
func (g GroupInfo) MarshalJSON() ([]byte, error) {
	type plain GroupInfo
	return marshal(struct {
		plain
		Off *int64 `json:"offset"`
	}{plain(g), known(g.Off)})
}

// MarshalJSON writes each field by its JSON name, and unknown numbers of rows and bytes as null.
func (m MemberInfo) MarshalJSON() ([]byte, error) {
	type plain MemberInfo
	return marshal(struct {
		plain
		Rows  *int64 `json:"rows"`
		Bytes *int64 `json:"bytes"`
	}{plain(m), known(m.Rows), known(m.Bytes)})
}

// MarshalJSON writes an object with the members start and end; end is null if the number of rows is not known.
func (r RowRange) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Start int64  `json:"start"`
		End   *int64 `json:"end"`
	}{r.Start, known(r.End)})
}

// known is nil for numbers that stand for what is not known.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// metadataJSON keeps text as text; bytes that are none become {"base64": …}.
func metadataJSON(md map[string][]byte) map[string]any {
	out := make(map[string]any, len(md))
	for k, v := range md {
		if utf8.Valid(v) {
			out[k] = string(v)
		} else {
			out[k] = map[string]string{"base64": base64.StdEncoding.EncodeToString(v)}
		}
	}
	return out
}

// marshal is json.Marshal that leaves < and > as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
