package strict_test

import (
	"testing"

	"github.com/arrowio/arrowio/flight/internal/strict"
)

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"n": 1}`:      "",
		` {"n": 1} `:    "",
		``:              "the JSON ends early",
		`{"n": `:        "the JSON ends early",
		`{"n": "x"}`:    "n: string where a whole number is wanted",
		`{"l": true}`:   "l: bool where an array is wanted",
		`[]`:            "the JSON: array where an object is wanted",
		`{"n": 1}{}`:    "there is more behind the JSON value",
		`{"other": 1}`:  `unknown field "other"`,
		`{"n": 1, "n"}`: "invalid character '}' after object key",
	} {
		var v struct {
			N int   `json:"n"`
			L []int `json:"l"`
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
