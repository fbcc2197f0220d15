package flight

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
)

func TestActions(t *testing.T) {
	t.Parallel()
	dir := events(t, 20_000)
	bad := events(t, 20_000)
	damage(t, bad+"/part-2.orc")
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}, "bad": {Paths: []string{bad}}})
	c := r.client(t)

	st, err := c.ListActions(t.Context(), &flight.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for {
		a, err := st.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, a.Type)
	}
	for _, want := range []string{"inspect", "formats", "verify", "refresh", "cancel", "CancelFlightInfo"} {
		if !slices.Contains(names, want) {
			t.Errorf("no action %s in %v", want, names)
		}
	}

	out, err := act(t, c, "inspect", `{"dataset":"events","file":"events/part-[02].orc","where":"id < 100","blocks":true}`)
	if err != nil || len(out) != 2 || out[1]["file"] != "events/part-2.orc" || out[1]["fragment"] != 2.0 {
		t.Fatal(out, err)
	}
	info := out[0]["info"].(map[string]any)
	if info["format"] != "orc" || info["rows"] != 20_000.0 || len(info["columns"].([]any)) < 4 || len(info["plan"].([]any)) == 0 {
		t.Errorf("%v", info)
	}
	if out, err = act(t, c, "formats", ""); err != nil || len(out) != 1 || len(out[0]["read"].([]any)) < 5 || len(out[0]["write"].([]any)) < 3 {
		t.Error(out, err)
	}
	for _, f := range out[0]["write"].([]any) { // keys as everywhere
		for _, o := range jsonList(f.(map[string]any)["options"]) {
			if o := o.(map[string]any); o["name"] == nil || o["usage"] == nil || o["Name"] != nil {
				t.Error(o)
			}
		}
	}
	if !slices.Contains(jsonList(out[0]["put_options"]), any("orc-bloom")) || !slices.Contains(jsonList(out[0]["client_options"]), any("timestamp-unit")) {
		t.Error(out[0]["put_options"], out[0]["client_options"])
	}
	if _, err := act(t, c, "inspect", `{"dataset":"events","file":"part-2.orc"}`); err == nil || !strings.Contains(err.Error(), `"events/part-0.orc"`) {
		t.Errorf("a name without its dataset: %v", err)
	}
	if out, err = act(t, c, "verify", `{"dataset":"events"}`); err != nil || len(out) != 1 || out[0]["ok"] != true || out[0]["files"] != 3.0 {
		t.Error(out, err)
	}
	out, err = act(t, c, "verify", `{"dataset":"bad"}`)
	if err != nil || len(out) < 2 {
		t.Fatal(out, err)
	}
	last := out[len(out)-1]
	if last["ok"] != false || last["faults"] != float64(len(out)-1) {
		t.Error(last)
	}
	for _, f := range out[:len(out)-1] {
		if f["file"] != "bad/part-2.orc" || f["kind"] != "corrupt" || strings.Contains(f["message"].(string), bad) {
			t.Error(f)
		}
	}
	for _, q := range []struct {
		name, body string
		want       codes.Code
	}{
		{"nope", "", codes.Unimplemented},
		{"inspect", "", codes.InvalidArgument},
		{"inspect", "{", codes.InvalidArgument},
		{"inspect", `{"dataset":"events","x":1}`, codes.InvalidArgument},
		{"inspect", `{"dataset":"events","file":"nope"}`, codes.NotFound},
		{"inspect", `{"dataset":"events","file":"["}`, codes.InvalidArgument},
		{"inspect", `{"dataset":"events","where":"nope = 1"}`, codes.InvalidArgument},
		{"inspect", `{"dataset":"events","where":"="}`, codes.InvalidArgument},
		{"formats", `{"x":1}`, codes.InvalidArgument},
		{"verify", `{"dataset":"../events"}`, codes.NotFound},
		{"refresh", `{"dataset":"nope"}`, codes.NotFound},
		{"cancel", `{"request_id":"nope"}`, codes.NotFound},
		{"cancel", `{}`, codes.NotFound},
		{"CancelFlightInfo", "\xff", codes.InvalidArgument},
	} {
		if out, err := act(t, c, q.name, q.body); code(err) != q.want {
			t.Errorf("%s %s: %v, %v", q.name, q.body, out, err)
		}
	}
}

// jsonList returns an array of JSON; nil = none.
func jsonList(v any) []any {
	out, _ := v.([]any)
	return out
}
