package kuduwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func all(b []byte) (records [][]byte, c Container) {
	c, err := OpenContainer(b)
	if err != nil {
		return nil, c
	}
	for {
		r, ok := c.Next()
		if !ok {
			return records, c
		}
		records = append(records, r)
	}
}

func TestContainerVersions(t *testing.T) {
	for version := 1; version <= 2; version++ {
		want := [][]byte{[]byte("one"), {}, bytes.Repeat([]byte{7}, 1000)}
		b := containerOf(version, "a.Type", want...)
		got, c := all(b)
		if c.Err != nil || c.Version != version || c.Type != "a.Type" || c.Good != int64(len(b)) {
			t.Fatalf("version %d: %+v", version, c)
		}
		if len(got) != len(want) {
			t.Fatalf("version %d: %d records", version, len(got))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("version %d: record %d is %q", version, i, got[i])
			}
		}
	}
}

// A container cut anywhere is torn, or ends with the last whole record; what precedes is the same.
func TestContainerCut(t *testing.T) {
	for version := 1; version <= 2; version++ {
		b := containerOf(version, "a.Type", []byte("one"), []byte("second"), nil)
		whole, _ := all(b)
		ends := map[int64]bool{}
		c, _ := OpenContainer(b)
		ends[c.Good] = true
		for _, ok := c.Next(); ok; _, ok = c.Next() {
			ends[c.Good] = true
		}
		for n := range b {
			c, err := OpenContainer(b[:n])
			got, i := 0, 0
			for ; err == nil; i++ {
				r, ok := c.Next()
				if !ok {
					err = c.Err
					break
				}
				if !bytes.Equal(r, whole[i]) {
					t.Fatalf("version %d cut at %d: record %d is %q", version, n, i, r)
				}
				got++
			}
			if ends[int64(n)] != (err == nil) || err != nil && !errors.Is(err, ErrTorn) {
				t.Errorf("version %d cut at %d: %d records, %v", version, n, got, err)
			}
			// What the file system had not written yet reads as zeros.
			padded := append(slices.Clone(b[:n]), make([]byte, 100)...)
			again, c := all(padded)
			if len(again) > len(whole) {
				t.Errorf("version %d, zeros from %d: %d records", version, n, len(again))
			}
			if ends[int64(n)] && (!errors.Is(c.Err, ErrTorn) || c.Good != int64(n)) {
				t.Errorf("version %d, zeros from %d: good up to %d, %v", version, n, c.Good, c.Err)
			}
		}
	}
}

// Every flipped bit is noticed.
func TestContainerFlips(t *testing.T) {
	for version := 1; version <= 2; version++ {
		b := containerOf(version, "a.Type", []byte("one"), []byte("second"))
		for i := range b {
			for bit := range 8 {
				bad := slices.Clone(b)
				bad[i] ^= 1 << bit
				c, err := OpenContainer(bad)
				for ok := err == nil; ok; {
					_, ok = c.Next()
					err = c.Err
				}
				if err == nil {
					t.Errorf("version %d: bit %d of byte %d", version, bit, i)
				}
			}
		}
	}
}

func TestContainerPass(t *testing.T) {
	b := containerOf(2, "a.Type", []byte("one"), []byte("two"), []byte("three"))
	b[bytes.Index(b, []byte("two"))] ^= 1
	c, err := OpenContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	c.Next()
	at := c.Good
	if _, ok := c.Next(); ok || !errors.Is(c.Err, errs.ErrCorrupt) || errors.Is(c.Err, ErrTorn) {
		t.Fatalf("%v", c.Err)
	}
	var e *errs.Error
	if !errors.As(c.Err, &e) || e.Off != at || e.Format != "kudu" {
		t.Errorf("%+v", e)
	}
	if _, ok := c.Next(); ok {
		t.Error("goes on past an error")
	}
	if !c.Pass() || c.Pass() {
		t.Error("passes not once")
	}
	if r, ok := c.Next(); !ok || string(r) != "three" {
		t.Errorf("%q, %v", r, c.Err)
	}
	// Version 1 has no checksum of the length.
	b = containerOf(1, "a.Type", []byte("one"), []byte("two"))
	b[bytes.Index(b, []byte("one"))] ^= 1
	_, c = all(b)
	if c.Err == nil || c.Pass() {
		t.Errorf("%v", c.Err)
	}
}

func TestContainerRefused(t *testing.T) {
	future := containerOf(3, "a.Type")
	unnamed := append(unhex(t, realHead), record(2, msg{}.str(1, "x"))...)
	for name, c := range map[string]struct {
		b    []byte
		kind errs.Kind
		torn bool
	}{
		"nothing":     {nil, errs.ErrCorrupt, true},
		"zeros":       {make([]byte, 4096), errs.ErrCorrupt, true},
		"other magic": {append([]byte("kuducfl2"), make([]byte, 100)...), errs.ErrCorrupt, false},
		"encrypted":   {append([]byte("kuduenc\x01"), make([]byte, 100)...), errs.ErrUnsupported, false},
		"version 3":   {future, errs.ErrUnsupported, false},
		"version 0":   {append([]byte(containerMagic), make([]byte, 100)...), errs.ErrCorrupt, false}, // zeros, where a disk was full
		"no type":     {unnamed, errs.ErrCorrupt, false},
		"head only":   {unhex(t, realHead), errs.ErrCorrupt, true},
	} {
		_, err := OpenContainer(c.b)
		if !errors.Is(err, c.kind) || errors.Is(err, ErrTorn) != c.torn {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSingle(t *testing.T) {
	good := realContainer(t, "kudu.InstanceMetadataPB", realInstance)
	i, err := ParseInstance(good, noLimits)
	if err != nil || i.UUID != "772453e4a2f145fe99aac44e526b602f" || i.Stamp != "Formatted at 2026-11-20 18:16:12 on vm" || i.Encrypted {
		t.Errorf("%+v, %v", i, err)
	}
	for n := range good {
		if _, err := ParseInstance(good[:n], noLimits); !errors.Is(err, ErrTorn) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	for name, b := range map[string][]byte{
		"another type": realContainer(t, "kudu.tablet.TabletSuperBlockPB", realInstance),
		"two messages": realContainer(t, "kudu.InstanceMetadataPB", realInstance, realInstance),
		"no uuid":      containerOf(2, "kudu.InstanceMetadataPB", msg{}.str(2, "x")),
		"no protobuf":  containerOf(2, "kudu.InstanceMetadataPB", []byte{0xff}),
		"wrong type":   containerOf(2, "kudu.InstanceMetadataPB", msg{}.num(1, 3)),
	} {
		if _, err := ParseInstance(b, noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseInstance(good, errs.Limits{MetadataBytes: 50}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("limit: %v", err)
	}
	for _, field := range []msg{msg{}.str(3, "00ff"), msg{}.sub(6, msg{}.str(1, "default_tenant_kudu"))} {
		i, err = ParseInstance(containerOf(2, "kudu.InstanceMetadataPB", append(msg{}.str(1, "u").str(2, ""), field...)), noLimits)
		if err != nil || !i.Encrypted {
			t.Errorf("encrypted: %+v, %v", i, err)
		}
	}
}

func TestDirInstance(t *testing.T) {
	want := &DirInstance{
		UUID: "a36d2125b2da4f09b2f6b889745a345c", Type: DirLog,
		AllUUIDs: []string{"a36d2125b2da4f09b2f6b889745a345c"}, BlockSize: 4096,
	}
	for _, typ := range []string{"kudu.DirInstanceMetadataPB", "kudu.PathInstanceMetadataPB"} {
		d, err := ParseDirInstance(realContainer(t, typ, realDir), noLimits)
		if err != nil || !reflect.DeepEqual(d, want) {
			t.Errorf("%+v, %v", d, err)
		}
	}
	for name, m := range map[string]msg{
		"empty":   nil,
		"no uuid": msg{}.sub(1, msg{}.str(2, "x")).str(2, "log"),
		"no type": msg{}.sub(1, msg{}.str(1, "x")),
		"broken":  msg{}.sub(1, msg{0x0a, 5}).str(2, "log"),
	} {
		if _, err := ParseDirInstance(containerOf(2, "kudu.DirInstanceMetadataPB", m), noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConsensus(t *testing.T) {
	const self = "772453e4a2f145fe99aac44e526b602f"
	c, err := ParseConsensus(realContainer(t, "kudu.consensus.ConsensusMetadataPB", realConsensus), noLimits)
	want := &Consensus{Peers: []Peer{{self, true}}, OpIndex: -1, Term: 1}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Fatalf("%+v, %v", c, err)
	}
	if !c.SoleVoter(self) || c.SoleVoter("other") || c.SoleVoter("") {
		t.Error("sole voter")
	}
	c.Peers = append(c.Peers, Peer{"learner", false})
	if !c.SoleVoter(self) || c.SoleVoter("learner") {
		t.Error("one voter of two peers")
	}
	c.Peers = append(c.Peers, Peer{"second", true})
	if c.SoleVoter(self) || c.SoleVoter("second") {
		t.Error("two voters")
	}
	if (&Consensus{Peers: []Peer{{"", true}}}).SoleVoter("") {
		t.Error("a voter without a name")
	}
	for name, m := range map[string]msg{"empty": nil, "no peers": msg{}.sub(1, msg{}.num(1, 4)), "broken": msg{}.sub(1, msg{}.sub(3, msg{0x0a}))} {
		if _, err := ParseConsensus(containerOf(2, "kudu.consensus.ConsensusMetadataPB", m), noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The checksum is the one that other implementations call CRC-32C: of "123456789", by RFC 3720's polynomial.
func TestCastagnoli(t *testing.T) {
	if got := crc32.Checksum([]byte("123456789"), castagnoli); got != 0xe3069283 {
		t.Errorf("%08x", got)
	}
	head := unhex(t, realHead)
	if crc32.Checksum(head[:12], castagnoli) != binary.LittleEndian.Uint32(head[12:]) {
		t.Error("real header")
	}
}
