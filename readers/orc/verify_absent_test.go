package orc

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// absentStruct is a file that pyarrow 26 wrote, by ORC C++ 2.2.2: {x: bigint, row: struct<a: int, b: string>, n: int} of two
// rows, in which row and n are null. The children of row have a PRESENT of no bytes, and positions in it.
const absentStruct = "T1JDCgYSBAgCUAAKEgoCAAASDAgCEgYIAhAEGAZQAAoLCgMAAAASBAgAUAEKEQoFAAAAAAASCAgAEgIYAFABChIKBgAAAAAAABIICAAiAhgAUAEKEQoFAAAA" +
	"AAASCAgAEgIYAFABRgEk/wD/AAoGCAYQABgICgYIBhABGBQKBggGEAIYDQoGCAYQAxgTCgYIBhAEGBQKBggGEAUYEwoGCAEQARgDCgYIABACGAIKBggAEAMY" +
	"AAoGCAEQAxgACgYIABAEGAAKBggCEAQYAAoGCAEQBBgACgYIABAFGAIKBggBEAUYABIECAAQABIECAIQABIECAAQABIECAIQABIECAIQABIECAIQABoDR01U" +
	"CjgKBAgCUAAKDAgCEgYIAhAEGAZQAAoECABQAQoICAASAhgAUAEKCAgAIgIYAFABCggIABICGABQAQgDEIsCGgsIAxBjGAcgoQEoAiIYCAwSAwECBRoBeBoD" +
	"cm93GgFuIAAoADAAIggIBCAAKAAwACISCAwSAgMEGgFhGgFiIAAoADAAIggIAyAAKAAwACIICAcgACgAMAAiCAgDIAAoADAAMAI6BAgCUAA6DAgCEgYIAhAE" +
	"GAZQADoECABQAToICAASAhgAUAE6CAgAIgIYAFABOggIABICGABQAUCQTkgBYgUyLjIuMgiuARAAGICABCICAAwoOjAGgvQDA09SQxg="

// Positions in a PRESENT of no bytes are legal, and 0; there are as many as of any.
func TestVerifyAbsentParent(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(absentStruct)
	if err != nil {
		t.Fatal(err)
	}
	if found := faults(t, showBytes(t, b, Options{})); len(found) > 0 {
		t.Error(found)
	}
	// The positions of row.a are the five bytes at 48, those of row.b the six at 67.
	for _, at := range []int{48, 50, 52, 67, 72} {
		bad := slices.Clone(b)
		bad[at] = 1
		if found := faults(t, showBytes(t, bad, Options{})); len(found) == 0 || !strings.Contains(found[0].Error(), "lead nowhere") {
			t.Errorf("position at %d: %v", at, found)
		}
	}
	// A PRESENT that is not listed has no positions: that of row.a becomes one of another kind.
	bad := slices.Clone(b)
	bad[176] = 3 // the kind, in the stripe footer: DICTIONARY_DATA, of no bytes as well
	found := faults(t, showBytes(t, bad, Options{}))
	if len(found) != 1 || !strings.Contains(found[0].Error(), "3 numbers too many") {
		t.Error(found)
	}
}
