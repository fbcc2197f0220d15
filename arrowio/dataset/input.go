package dataset

import (
	"encoding/json"
	"strings"

	"github.com/arrowio/arrowio/internal/pathjson"
)

// Input is a file of a dataset, or a directory that a format reads as a whole.
type Input struct {
	Path string // path or URL, for Open
	Name string // for messages; "" = Path

	keys   []keyValue // that the directories say which lead to it
	member *member    // of a table; nil = it is none
	root   string     // the directory out of which no link may lead; "" = any may
}

func (in Input) name() string {
	if in.Name != "" {
		return in.Name
	}
	return in.Path
}

// inputText is an Input as JSON.
type inputText struct {
	Path pathjson.Path `json:"path"`
	Name pathjson.Path `json:"name,omitempty"`
	Keys [][2]string   `json:"keys,omitempty"`

	Format string          `json:"format,omitempty"` // of the table that it is a member of
	Member json.RawMessage `json:"member,omitempty"`
}

// MarshalJSON implements json.Marshaler. The JSON of an input that List has returned can be sent to another process that reaches
// the same files. It includes the partition values of its directories, and what a table says of it.
func (in Input) MarshalJSON() ([]byte, error) {
	t := inputText{Path: pathjson.Path(in.Path), Name: pathjson.Path(in.Name)}
	for _, kv := range in.keys {
		t.Keys = append(t.Keys, [2]string{kv.key, kv.value})
	}
	if in.member != nil {
		var err error
		t.Format, t.Member = in.member.format, in.member.text
		if marshal := in.member.Marshal; marshal != nil {
			if t.Member, err = marshal(); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(t)
}

// UnmarshalJSON implements json.Unmarshaler.
func (in *Input) UnmarshalJSON(b []byte) error {
	var t inputText
	if err := json.Unmarshal(b, &t); err != nil {
		return err
	}
	*in = Input{Path: string(t.Path), Name: string(t.Name)}
	for _, kv := range t.Keys {
		in.keys = append(in.keys, keyValue{kv[0], kv[1]})
	}
	if t.Member != nil {
		in.member = &member{format: t.Format, text: t.Member}
	}
	return nil
}

// Partition returns the directories KEY=VALUE above the input, with slashes between them; "" if there are none.
func (in Input) Partition() string {
	out := make([]string, len(in.keys))
	for i, kv := range in.keys {
		out[i] = kv.key + "=" + kv.value
	}
	return strings.Join(out, "/")
}

// IsMember reports whether the input is a file of a table, such as Iceberg's, which has more to say about its rows.
func (in Input) IsMember() bool { return in.member != nil }

// Keys returns the keys of the directories KEY=VALUE above the input, the outermost first.
func (in Input) Keys() []string {
	out := make([]string, len(in.keys))
	for i, kv := range in.keys {
		out[i] = kv.key
	}
	return out
}
