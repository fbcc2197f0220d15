package flight

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pyarrow 26 has written this file: at is INT96 of 2001 and 2002 in one row group, 9000 and null in the next, 1500 in the last.
const farInt96 = "UEFSMRUAFSwVLCwVBBUAFQYVBhwYCAIAAAAAAAAAGAgBAAAAAAAAABYAKAgCAAAAAAAAABgIAQAAAAAAAAAREQAAAAIAAAAEAQEAAAAAAAAAAgAAAAAAAAAVABU8FTwsFQQVABUGFQYcAAAAAgAAAAQBAAAAAAAAAADHaSUACLpR72IDAAA0ayUAFQAVLBUsLBUEFQAVBhUGHBgIBAAAAAAAAAAYCAMAAAAAAAAAFgAoCAQAAAAAAAAAGAgDAAAAAAAAABERAAAAAgAAAAQBAwAAAAAAAAAEAAAAAAAAABUAFSQVJCwVBBUAFQYVBhwAAAACAAAAAwEAAAAAAAAAAHNrTAAVABUcFRwsFQIVABUGFQYcGAgFAAAAAAAAABgIBQAAAAAAAAAWACgIBQAAAAAAAAAYCAUAAAAAAAAAEREAAAACAAAAAgEFAAAAAAAAABUAFSQVJCwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAPyeIgAVBBk8NQAYBnNjaGVtYRUEABUEJQIYAmlkABUGJQIYAmF0ABYKGTwZLCYAHBUEGSUGABkYAmlkFQAWBBaqARaqASYIPBgIAgAAAAAAAAAYCAEAAAAAAAAAFgAoCAIAAAAAAAAAGAgBAAAAAAAAABERABkcFQAVABUCADwpBhkmAAQAAAAmABwVBhklBgAZGAJhdBUAFgQWYhZiJrIBSRwVABUAFQIAPCkGGSYABAAAABaMAhYEJggWjAIAGSwmABwVBBklBgAZGAJpZBUAFgQWqgEWqgEmlAI8GAgEAAAAAAAAABgIAwAAAAAAAAAWACgIBAAAAAAAAAAYCAMAAAAAAAAAEREAGRwVABUAFQIAPCkGGSYABAAAACYAHBUGGSUGABkYAmF0FQAWBBZKFkomvgNJHBUAFQAVAgA8KQYZJgICAAAAFvQBFgQmlAIW9AEAGSwmABwVBBklBgAZGAJpZBUAFgIWmgEWmgEmiAQ8GAgFAAAAAAAAABgIBQAAAAAAAAAWACgIBQAAAAAAAAAYCAUAAAAAAAAAEREAGRwVABUAFQIAPCkGGSYAAgAAACYAHBUGGSUGABkYAmF0FQAWAhZKFkomogVJHBUAFQAVAgA8KQYZJgACAAAAFuQBFgImiAQW5AEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAABICAABQQVIx"

// Times that nanoseconds cannot hold are an error that names the options which clients may set, and with one of these they are there.
func TestFarTimesOfParquet(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(farInt96)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "far.parquet")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	c := start(t, Options{}, map[string]Spec{"far": {Paths: []string{name}}}).client(t)
	if s := get(t.Context(), t, c, []byte(`{"dataset":"far"}`)); s.err == nil || !strings.Contains(s.err.Error(), `"options": {"timestamp-unit": "us"} can hold it`) {
		t.Error(s.err)
	}
	for option, unit := range map[string]string{"parquet-int96": "us", "timestamp-unit": "ms"} {
		info, s := getAll(t.Context(), t, c, cmdOf(`{"dataset":"far","options":{%q:%q}}`, option, unit))
		if info.TotalRecords != 5 || s.rows() != 5 || s.schema.Field(1).Type.String() != "timestamp["+unit+"]" {
			t.Errorf("%s: %d rows, %v", option, s.rows(), s.schema)
			continue
		}
		var years []string
		for _, r := range s.recs {
			for i := range int(r.NumRows()) {
				years = append(years, r.Column(1).ValueStr(i)[:4])
			}
		}
		if got := strings.Join(years, " "); got != "2001 2002 9000 (nul 1500" {
			t.Error(got)
		}
	}
}
