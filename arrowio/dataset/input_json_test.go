package dataset

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestInputJSON(t *testing.T) {
	for _, in := range []Input{
		{Path: "a.orc"},
		{Path: "s3://b/x=1/a", Name: "a"},
		{Path: "x=1/y=%2F/a.orc", keys: []keyValue{{"x", "1"}, {"y", "/"}}},
		{Path: "x=/\"", keys: []keyValue{{"x", ""}}},
	} {
		b, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var got Input
		if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, in) {
			t.Errorf("%s: %+v, %v; want %+v", b, got, err, in)
		}
	}
	in := Input{keys: []keyValue{{"x", "1"}, {"y", "2"}}}
	if got := in.Keys(); !reflect.DeepEqual(got, []string{"x", "y"}) {
		t.Errorf("keys %q", got)
	}
	var got Input
	if err := json.Unmarshal([]byte(`{"path": 1}`), &got); err == nil {
		t.Error("a path that is a number was taken")
	}
}
