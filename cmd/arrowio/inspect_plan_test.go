package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// inspect --where tells stripe by stripe what a filter leaves of an ORC file, and what it owes that to.
func TestInspectPlan(t *testing.T) {
	in := "../../testdata/orc/java-2.3.1/pruning.orc"
	text := ok(t, "inspect", "--where", "id__mono = 7500", in)
	for _, want := range []string{"the filter reads 1 of 2 units", "stripe 0", "1 of 3", "row index"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "stripe 1") {
		t.Error("a stripe that is not read is listed")
	}
	if text = ok(t, "inspect", "--blocks", "--where", "id__mono = 7500", in); !strings.Contains(text, "stripe statistics") {
		t.Error("--blocks does not list the stripe that is not read")
	}
	var doc struct {
		Plan []struct {
			Unit                   string
			Left, Groups, GroupsOf int64
			By                     []string
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--where", "id__mono = 7501", in)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Plan) != 2 || doc.Plan[0].Left != 0 || strings.Join(doc.Plan[0].By, " ") != "row index bloom filters" {
		t.Errorf("%+v", doc.Plan)
	}
}
