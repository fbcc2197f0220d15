package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// theJSON names the whole of what is decoded.
const theJSON = "the JSON"

// check returns an error for the first value of b that does not fit v as Decode says. b begins with a JSON value.
func check(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return checkValue(d, reflect.TypeOf(v).Elem(), "", false)
}

// checkValue reads the next value, which is at a path and becomes a t. It goes no deeper than t does.
func checkValue(d *json.Decoder, t reflect.Type, at string, nullable bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		var own json.RawMessage
		return d.Decode(&own)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch {
	case token == nil && nullable:
		return nil
	case token == json.Delim('{') && t.Kind() == reflect.Struct:
		fields := reflect.VisibleFields(t)
		return checkObject(d, at, func(name string) (reflect.Type, error) { return fieldOf(fields, name) }, true)
	case token == json.Delim('{') && t.Kind() == reflect.Map:
		return checkObject(d, at, func(string) (reflect.Type, error) { return t.Elem(), nil }, false)
	case token == json.Delim('[') && t.Kind() == reflect.Slice:
		for i := 0; d.More(); i++ {
			if err := checkValue(d, t.Elem(), fmt.Sprintf("%s[%d]", at, i), false); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	case !fits(token, t):
		return fmt.Errorf("%s: %s where %s is wanted", cmp.Or(at, theJSON), kind(token), wanted(t))
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checkObject reads an object up to its end. of returns the type of a field.
func checkObject(d *json.Decoder, at string, of func(name string) (reflect.Type, error), nullable bool) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // as every key is
		path := name
		if at != "" {
			path = at + "." + name
		}
		t, err := of(name)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("field %q is given twice", path)
		}
		seen[name] = true
		if err := checkValue(d, t, path, nullable); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// fieldOf returns the type of that of the fields which JSON calls name.
func fieldOf(fields []reflect.StructField, name string) (reflect.Type, error) {
	for _, f := range fields {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || tag == "-" || f.Anonymous && tag == "":
		case cmp.Or(tag, f.Name) == name:
			return f.Type, nil
		case strings.EqualFold(cmp.Or(tag, f.Name), name):
			return nil, fmt.Errorf("unknown field %q: it is written %q", name, cmp.Or(tag, f.Name))
		}
	}
	return nil, fmt.Errorf("unknown field %q", name)
}

// fits reports whether a value that is no null, and not an object or an array of fitting type, becomes a t.
func fits(token json.Token, t reflect.Type) bool {
	switch x := token.(type) {
	case bool:
		return t.Kind() == reflect.Bool
	case string:
		return t.Kind() == reflect.String
	case json.Number:
		return json.Unmarshal([]byte(x), reflect.New(t).Interface()) == nil
	}
	return false
}

// kind names a value.
func kind(token json.Token) string {
	switch x := token.(type) {
	case bool:
		return fmt.Sprint(x)
	case string:
		return "string"
	case json.Number:
		return "number " + x.String()
	case json.Delim:
		if x == '[' {
			return "array"
		}
		return "object"
	}
	return "null"
}

// wanted names what a Go type takes in JSON.
func wanted(t reflect.Type) string {
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
