package sql

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// What is wrong with an option of a session.
const (
	SessionInvalidName  = 1
	SessionInvalidValue = 2
)

// sessionText is the field string_value of a SessionOptionValue.
const sessionText = 1

// NotText stands for a value that is there, but not as text.
const NotText = "\x00"

// SessionOptions reads a SetSessionOptionsRequest: the text of each option; nil = none is given, or not as text.
func SessionOptions(body []byte) (map[string]*string, error) {
	if len(body) > maxMessageBytes {
		return nil, errs.Errorf(errs.ErrOption, "body of %d bytes; the most is %d", len(body), maxMessageBytes)
	}
	out := map[string]*string{}
	err := eachField(body, func(n protowire.Number, _ uint64, b []byte) error {
		if n != 1 {
			return nil
		}
		name, value := "", (*string)(nil)
		err := eachField(b, func(n protowire.Number, _ uint64, b []byte) error {
			switch n {
			case 1:
				name = string(b)
			case 2:
				return eachField(b, func(n protowire.Number, _ uint64, b []byte) error {
					text := string(b)
					if n != sessionText {
						text = NotText
					}
					value = &text
					return nil
				})
			}
			return nil
		})
		out[name] = value
		return err
	})
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "body: not a SetSessionOptionsRequest")
	}
	return out, nil
}

// SessionErrors returns a SetSessionOptionsResult.
func SessionErrors(wrong map[string]int) []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		inner := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(wrong[name]))
		out = appendEntry(out, name, inner)
	}
	return out
}

// SessionValues returns a GetSessionOptionsResult.
func SessionValues(values map[string]string) []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = appendEntry(out, name, protowire.AppendString(protowire.AppendTag(nil, sessionText, protowire.BytesType), values[name]))
	}
	return out
}

// appendEntry appends an entry of the map that is field 1.
func appendEntry(out []byte, key string, value []byte) []byte {
	e := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key)
	e = protowire.AppendBytes(protowire.AppendTag(e, 2, protowire.BytesType), value)
	return protowire.AppendBytes(protowire.AppendTag(out, 1, protowire.BytesType), e)
}
