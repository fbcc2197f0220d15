//go:build !race

package campaign_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/campaign"
)

// A salvage gives all rows of sound files, and of damaged ones what it says that it gives. Where statistics have sums, or
// blocks checksums, hardly any changed value is taken for what was written: here none.
func TestRescue(t *testing.T) {
	for _, c := range []struct {
		names  []string
		sums   bool // or checksums
		places int
	}{
		{[]string{"strides-none.orc", "strides-zstd.orc", "many-stripes.orc", "encrypted-strides.orc", "no-index.orc"}, false, 20},
		{[]string{"ints-smallint-v11.orc"}, true, 100},
		{[]string{"prim-bzip2-crc32.trv", "prim-snappy-crc32.trv"}, true, 50},
		{[]string{"avro-blocks.trv", "avro-arrays.trv", "foreign/parent-child-blocks.trv", "uneven-blocks-first-values.trv", "prim-null-crc32.trv"}, false, 50},
	} {
		var log bytes.Buffer
		all, err := campaign.Rescue(t.Context(), &log, []string{testdata}, formats(), c.names, c.places, 10, false)
		if err != nil {
			t.Fatal(err)
		}
		for key, n := range all {
			sound := strings.HasSuffix(key, "sound")
			if n.Cases == 0 || n.Failed > 0 || c.sums && n.Unseen > 0 || sound && n.Same != n.Cases {
				t.Errorf("%s: %v\n%s", key, n, &log)
			}
		}
	}
}
