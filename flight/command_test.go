package flight

import (
	"strings"
	"testing"
)

// What is wrong with a command is said in JSON's words, with the field's name, and not in Go's.
func TestCommandText(t *testing.T) {
	for text, want := range map[string]string{
		`{"dataset":"a","dictionary":"x"}`:         "dictionary: string where true or false is wanted",
		`{"dataset":"a","columns":"x"}`:            "columns: string where an array is wanted",
		`{"dataset":"a","batch_rows":1.5}`:         "batch_rows: number 1.5 where a whole number is wanted",
		`{"dataset":"a","options":[]}`:             "options: array where an object is wanted",
		`{"dataset":"a","resume":{"row":"x"}}`:     "resume.row: string where a whole number is wanted",
		`{"dataset":5}`:                            "dataset: number where a string is wanted",
		`[]`:                                       "the JSON: array where an object is wanted",
		`{"dataset":"a","nothing":1}`:              `unknown field "nothing"`,
		`{"dataset":"a"`:                           "the JSON ends early",
		`{"dataset":"a"} {}`:                       "more behind",
		`{"dataset":"a","batch_rows":99999999999}`: "batch_rows",
	} {
		_, err := ParseCommand([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
