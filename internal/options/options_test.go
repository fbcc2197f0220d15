package options

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

func TestCheck(t *testing.T) {
	known := []arrowio.Option{{Name: "f-free", Default: "x"}, {Name: "f-word", Default: "a", Values: []string{"a", "b"}}}
	v, err := Check(known, map[string]string{"f-word": "b"})
	if err != nil || v["f-free"] != "x" || v["f-word"] != "b" {
		t.Fatalf("got %v, %v", v, err)
	}
	for name, given := range map[string]map[string]string{
		"unknown name":  {"g-free": ""},
		"unknown value": {"f-word": "c"},
	} {
		if _, err := Check(known, given); !errors.Is(err, arrowio.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Check(nil, map[string]string{"x": "y"}); !errors.Is(err, arrowio.ErrOption) {
		t.Errorf("no options: %v", err)
	}
}
