package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bloomedBytes is a file by pyarrow 26.0.1 with a bloom filter of a, a tinyint: 127, null, -128, 5, three nulls, -3, 5 and -3. The C++ writer hashes
// what is left of the values when it has written bytes over the first of them.
const bloomedBytes = "" +
	"4f52431100000a061204080a5000300000e392e462678000213e0e36210e8eff8c02ff1825d80218015c0000e30ae160910a60800046060646260645" +
	"20a9001561706060813119181a804ca01a105080b3a0d22e609a03c20300070000feb1c00f0000fa7f8005fd05fd5e0000e362e360136090e0e602d1" +
	"8c12d2409a03481b02690620cd06a419813497100b90cf200412659060946276f70d01003100000a160a04080a50000a0e0806120808ff0110fe0118" +
	"065001940000e3601698c928c5c5c12c102e21a060a4c1a5c4c7c123c4c828c598a8c0a0c160c0a0c4c1c10861197059b17070053058f171b0097170" +
	"fc6714f8c728c116c0e890e2c198c46aa4078400084d1001188080042202000c281b300682f403034f524317"

// Filters of tinyint by the C++ writer lack values, and leave no rows out.
func TestBloomFiltersOfBytes(t *testing.T) {
	b, err := hex.DecodeString(bloomedBytes)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "in.orc")
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "verify", in)
	for v, rows := range map[int]int{127: 1, -128: 1, 5: 2, -3: 2, 4: 0} {
		if got := ok(t, "count", "--where", fmt.Sprintf("a = %d", v), in); got != fmt.Sprintf("%d\n", rows) {
			t.Errorf("%d: %q rows, want %d", v, got, rows)
		}
	}
}
