package options

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestCheck(t *testing.T) {
	known := []arrowio.Option{
		{Name: "f-free", Default: "x"},
		{Name: "f-word", Default: "a", Values: []string{"a", "b"}},
		{Name: "f-many", Repeated: true},
		{Name: "f-words", Values: []string{"a", "b"}, Repeated: true},
	}
	v, err := Check(known, map[string]string{"f-word": "b", "f-many": "x\ny z", "f-words": "b\na"})
	if err != nil || v["f-free"] != "x" || v["f-word"] != "b" || len(Values(v["f-many"])) != 2 || Values(v["f-words"])[1] != "a" || Values("") != nil {
		t.Fatalf("got %v, %v", v, err)
	}
	for name, given := range map[string]map[string]string{
		"unknown name":  {"g-free": ""},
		"unknown value": {"f-word": "c"},
		"one unknown":   {"f-words": "a\nc"},
		"two of one":    {"f-word": "a\nb"},
		"one empty":     {"f-many": "a\n"},
	} {
		if _, err := Check(known, given); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Check(nil, map[string]string{"x": "y"}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("no options: %v", err)
	}
}
