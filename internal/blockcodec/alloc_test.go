package blockcodec

import "testing"

// Blocks after the first cost no allocation. Pools may lose an item to the collector now and then, hence the average
// over many runs and the room of a fifth.
func TestSteadyStateAllocations(t *testing.T) {
	const few = 0.2
	raw, blocks := vectors(t)
	var d Decoder
	dst := make([]byte, len(raw)+Slack)
	for name, block := range blocks {
		c := codecOf(t, name)
		if c == Bzip2 || c == Brotli { // see Decoder
			continue
		}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := d.Decode(c, dst, block, len(raw), true); err != nil {
				t.Fatal(err)
			}
		}); n > few {
			t.Errorf("decoding %s: %v allocations", name, n)
		}
	}
	var e Encoder
	dst = make([]byte, 0, 2*len(raw))
	for _, c := range writable {
		if c == Brotli { // its encoder takes tables from pools
			continue
		}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := e.Encode(c, DefaultLevel, dst, raw); err != nil {
				t.Fatal(err)
			}
		}); n > few {
			t.Errorf("encoding %s: %v allocations", c, n)
		}
	}
}
