package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// The statistics of each group are those of its rows: of whole numbers, what reading them gives.
func TestGroupStatistics(t *testing.T) {
	for file, columns := range map[string][]string{
		"orc/java-2.3.1/pruning.orc":            {"id__mono", "group__days"},
		"orc/java-2.3.1/many-stripes.orc":       {"a__mono"},
		"parquet/pyarrow-26.0.1/groups.parquet": {"i", "n"},
		"orc/java-2.3.1/nulls-stripe2-v12.orc":  nil,
		"orc/java-2.3.1/encrypted-0-none.orc":   nil,
		"parquet/pyarrow-26.0.1/nested.parquet": nil,
		"parquet/pyarrow-26.0.1/plain.parquet":  {"int8", "required"},
		"orc/java-2.3.1/long-statistics.orc":    nil,
	} {
		in := "../../testdata/" + file
		o := do(t, "inspect", "--blocks", "--json", in)
		var doc struct {
			Groups  []struct{ Rows struct{ Start, End int64 } }
			Columns []struct {
				Path       string
				GroupStats []struct {
					Values, Nulls *int64
					Min, Max      string
				} `json:"group_stats"`
			}
		}
		if err := json.Unmarshal([]byte(o.out), &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found := 0
		for _, c := range doc.Columns {
			if c.GroupStats == nil {
				continue
			}
			if len(c.GroupStats) != len(doc.Groups) {
				t.Fatalf("%s: %s: statistics of %d groups, of %d", file, c.Path, len(c.GroupStats), len(doc.Groups))
			}
			asked := false
			for _, name := range columns {
				asked = asked || name == c.Path
			}
			if !asked {
				continue
			}
			found++
			for g, s := range c.GroupStats {
				rows := doc.Groups[g].Rows
				text := ok(t, "cat", "--format", "jsonl", "--columns", c.Path, "--rows", fmt.Sprintf("%d:%d", rows.Start, rows.End), in)
				var low, high string
				var least, most, values, nulls int64
				for line := range strings.Lines(text) {
					var row map[string]any
					if err := json.Unmarshal([]byte(line), &row); err != nil {
						t.Fatal(err)
					}
					v := row[c.Path]
					if v == nil {
						nulls++
						continue
					}
					n, err := strconv.ParseInt(fmt.Sprint(int64(v.(float64))), 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					if values == 0 || n < least {
						least, low = n, fmt.Sprint(n)
					}
					if values == 0 || n > most {
						most, high = n, fmt.Sprint(n)
					}
					values++
				}
				if s.Values == nil || s.Nulls == nil || *s.Values != values || *s.Nulls != nulls || s.Min != low || s.Max != high {
					t.Errorf("%s: %s, group %d: %+v, read %d values from %s to %s and %d nulls", file, c.Path, g, s, values, low, high, nulls)
				}
			}
		}
		if found != len(columns) {
			t.Errorf("%s: %d columns of %s", file, found, columns)
		}
	}
}
