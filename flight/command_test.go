package flight

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
)

// What is wrong with a command is said in JSON's words, with the field's name, and not in Go's.
func TestCommandText(t *testing.T) {
	for text, want := range map[string]string{
		`{"dataset":"a","dictionary":"x"}`:         "dictionary: string where true or false is wanted",
		`{"dataset":"a","columns":"x"}`:            "columns: string where an array is wanted",
		`{"dataset":"a","batch_rows":1.5}`:         "batch_rows: number 1.5 where a whole number is wanted",
		`{"dataset":"a","options":[]}`:             "options: array where an object is wanted",
		`{"dataset":"a","resume":{"row":"x"}}`:     "resume.row: string where a whole number is wanted",
		`{"dataset":5}`:                            "dataset: number 5 where a string is wanted",
		`[]`:                                       "the JSON: array where an object is wanted",
		`{"dataset":"a","nothing":1}`:              `unknown field "nothing"`,
		`{"dataset":"a"`:                           "the JSON ends early",
		`{"dataset":"a"} {}`:                       "more behind",
		`{"dataset":"a","batch_rows":99999999999}`: "batch_rows",
		`{"dataset":"a","endpoints":-3}`:           "endpoints is -3; it may be 1 to 10000",
		`{"dataset":"a","endpoints":0}`:            "endpoints is 0; it may be 1 to 10000",
		`{"dataset":"a","batch_rows":0}`:           "batch_rows is 0; it may be 1 to",
		`{"dataset":"a","Batch_Bytes":0}`:          `unknown field "Batch_Bytes": it is written "batch_bytes"`,
		`{"dataset":"a","WHERE":"x > 1"}`:          `unknown field "WHERE": it is written "where"`,
		`{"dataset":"a","dataset":"b"}`:            `field "dataset" is given twice`,
		`{"dataset":"a","columns":[null]}`:         "columns[0]: null where a string is wanted",
		`{"dataset":"a","options":{"x":null}}`:     "options.x: null where a string is wanted",
	} {
		_, err := ParseCommand([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// A number that is left out or null is the default.
func TestCommandDefaults(t *testing.T) {
	for _, text := range []string{`{"dataset":"a"}`, `{"dataset":"a","endpoints":null,"batch_rows":null,"batch_bytes":null}`} {
		if _, err := ParseCommand([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := ParseExchange(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"batch_rows":0}`)})
	if err == nil || !strings.Contains(err.Error(), "batch_rows is 0; it may be 1 to") {
		t.Error(err)
	}
}

// What is wrong with the JSON of a put is said without the names of Go's types, too.
func TestPutCommandText(t *testing.T) {
	for text, want := range map[string]string{
		`{"dataset":"a","metadata":{"a":5}}`:               "metadata.a: number 5 where a string is wanted",
		`{"dataset":"a","metadata":{"a":null}}`:            "metadata.a: null where a string is wanted",
		`{"dataset":"a","metadata":[]}`:                    "metadata: array where an object is wanted",
		`{"dataset":"a","sort":["x",null]}`:                "sort[1]: null where a string is wanted",
		`{"dataset":"a","drop_metadata":"x"}`:              "drop_metadata: string where an array is wanted",
		`{"dataset":"a","mode":"create","mode":"replace"}`: `field "mode" is given twice`,
		`{"dataset":"a","Mode":"replace"}`:                 `unknown field "Mode": it is written "mode"`,
	} {
		_, err := ParsePut(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(text)})
		if err == nil || err.Error() != "command: "+want {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// An action is about a dataset, and says so where none is named.
func TestActionsNameDataset(t *testing.T) {
	t.Parallel()
	c := start(t, Options{}, nil).client(t)
	for _, action := range []string{"inspect", "verify", "refresh"} {
		for _, body := range []string{"", "{}", `{"dataset":""}`} {
			if _, err := act(t, c, action, body); code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "the body names no dataset") {
				t.Errorf("%s %s: %v", action, body, err)
			}
		}
	}
}
