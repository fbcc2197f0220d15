package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Decode decodes one JSON value and nothing behind it. What encoding/json would pass over is an error, since it may have been
// meant to exclude rows: fields that v does not have, to the case, fields that are given twice, and null as an element of an
// array or as a value of a map. A field of a struct may be null, which is as good as absent.
func Decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var te *json.UnmarshalTypeError
	switch {
	case err == nil:
		if _, err := d.Token(); err != io.EOF {
			return errors.New("there is more behind the JSON value")
		}
		return check(b, v)
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends early")
	case errors.As(err, &te): // whose text is of Go's types
		if err := check(b, v); err != nil {
			return err
		}
		return fmt.Errorf("%s: %s where %s is wanted", cmp.Or(te.Field, theJSON), te.Value, wanted(te.Type))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
