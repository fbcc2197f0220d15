package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Decode decodes one JSON value and nothing behind it. Fields that v does not have are errors: one of them may have been meant to exclude
// rows.
func Decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the JSON ends early")
		}
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) { // whose text is of Go's types
			return fmt.Errorf("%s: %s where %s is wanted", cmp.Or(te.Field, "the JSON"), te.Value, wantedJSON(te.Type))
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more behind the JSON value")
	}
	return nil
}

// wantedJSON names what a Go type takes in JSON.
func wantedJSON(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
