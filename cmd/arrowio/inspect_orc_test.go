package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// ORC has what inspect shows besides columns: facts, groups of rows, kinds of blocks, indexes, encryption.
func TestInspectORC(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/encrypted-0-none.orc"
	ok := func(t *testing.T, args ...string) string { // with the warning that columns are masked
		t.Helper()
		o := do(t, args...)
		if o.code != 0 || strings.Count(o.err, "\n") > 1 {
			t.Fatalf("%s: exit %d: %s", args, o.code, o.err)
		}
		return o.out
	}
	text := ok(t, "inspect", "--blocks", in)
	for _, want := range []string{"ORC Java 2.3.1", "stripes", "calendar", "masked", "(root)", "row groups of", "ROW_INDEX", "DIRECT_V2", "group"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var doc struct {
		Rows    int64
		Facts   []struct{ Name, Value string }
		Groups  []struct{ Offset, Bytes, Index int64 }
		Columns []struct {
			Path, Index, Encryption string
			BlockList               []struct{ Kind, Encoding string } `json:"block_list"`
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--blocks", "--json", in)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Facts) == 0 || len(doc.Groups) == 0 || doc.Groups[0].Offset != 3 || len(doc.Columns) == 0 || len(doc.Columns[0].BlockList) == 0 {
		t.Errorf("%+v", doc)
	}
	if got := ok(t, "verify", in); !strings.HasPrefix(got, in+": ok (no column has a checksum; all ") {
		t.Errorf("verify: %s", got)
	}
	if got := ok(t, "dump", in); !strings.HasPrefix(got, "0-3: x 4f 52 43  # magic\n") {
		t.Errorf("dump: %.200s", got)
	}
}
