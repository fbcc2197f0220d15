package strict_test

import (
	"encoding/json"
	"testing"

	"github.com/arrowio/arrowio/flight/internal/strict"
)

type deep struct {
	Deep int `json:"deep"`
}

// Embedded has fields of the struct that it is embedded in.
type Embedded struct {
	K map[string]string `json:"k"`
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"n": 1}`:      "",
		` {"n": 1} `:    "",
		``:              "the JSON ends early",
		`{"n": `:        "the JSON ends early",
		`{"n": "x"}`:    "n: string where a whole number is wanted",
		`{"l": true}`:   "l: true where an array is wanted",
		`[]`:            "the JSON: array where an object is wanted",
		`{"n": 1}{}`:    "there is more behind the JSON value",
		`{"other": 1}`:  `unknown field "other"`,
		`{"n": 1, "n"}`: "invalid character '}' after object key",

		`{"N": 1}`:                              `unknown field "N": it is written "n"`,
		`{"n": 1, "n": 1}`:                      `field "n" is given twice`,
		`{"n": 1, "m": {"a": "x", "a": "y"}}`:   `field "m.a" is given twice`,
		`{"n": 1, "s": {"deep": 1, "deep": 2}}`: `field "s.deep" is given twice`,
		`{"n": 1, "s": {"Deep": 1}}`:            `unknown field "Deep": it is written "deep"`,
		`{"n": 1, "t": ["a", null]}`:            "t[1]: null where a string is wanted",
		`{"n": 1, "l": [null]}`:                 "l[0]: null where a whole number is wanted",
		`{"n": 1, "m": {"a": null}}`:            "m.a: null where a string is wanted",
		`{"n": 1, "m": {"a": 5}}`:               "m.a: number 5 where a string is wanted",
		`{"n": 1, "k": {"a": 5}}`:               "k.a: number 5 where a string is wanted",
		`{"n": 1, "k": {"a": null}}`:            "k.a: null where a string is wanted",
		`{"n": 1.5}`:                            "n: number 1.5 where a whole number is wanted",
		`{"n": 99999999999999999999}`:           "n: number 99999999999999999999 where a whole number is wanted",
		`null`:                                  "the JSON: null where an object is wanted",
		`{"n": 1, "l": null, "m": null, "s": null, "p": null, "t": null, "raw": null}`: "",
		`{"n": 1, "raw": {"x": [null], "x": 1}, "m": {"A": "x", "a": "y"}}`:            "",
	} {
		var v struct {
			N   int               `json:"n"`
			L   []int             `json:"l"`
			T   []string          `json:"t"`
			M   map[string]string `json:"m"`
			S   *deep             `json:"s"`
			P   *int              `json:"p"`
			Raw json.RawMessage   `json:"raw"`
			Embedded
		}
		got := ""
		if err := strict.Decode([]byte(text), &v); err != nil {
			got = err.Error()
		}
		if got != want || want == "" && v.N != 1 {
			t.Errorf("%s: %q, want %q; %+v", text, got, want, v)
		}
	}
}
