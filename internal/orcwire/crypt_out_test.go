package orcwire

import (
	"bytes"
	"testing"
)

func TestNewest(t *testing.T) {
	r, err := ParseKeys([]byte(`{"": {"version": 5, "algorithm": "AES_CTR_128", "key": "` + piiKey + `"}, "a": [{"version": 2, "algorithm": "AES_CTR_256", "key": "` + creditKey + `"},
		{"version": 0, "algorithm": "AES_CTR_128", "key": "` + piiKey + `"}, {"version": 1, "algorithm": "AES_CTR_128", "key": "` + piiKey + `"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Key{"a": {"a", 2, 2}, "": {"", 5, 1}} {
		if k, ok := r.Newest(name); !ok || k != want || !r.Has(&k) {
			t.Errorf("%q: %+v, %v", name, k, ok)
		}
	}
	if k, ok := r.Newest("b"); ok {
		t.Errorf("%+v", k)
	}
	if _, ok := KeyRing(nil).Newest(""); ok {
		t.Error("a key of no ring")
	}
}

// What Apply does to parts is what XOR does to the whole.
func TestApply(t *testing.T) {
	local, err := keyRing(t).Unwrap(&Key{"pii", 0, 1}, unhex(creditKey)[:16])
	if err != nil {
		t.Fatal(err)
	}
	c, err := local.Stream(3, Data, 2)
	if err != nil {
		t.Fatal(err)
	}
	plain := make([]byte, 1000)
	for i := range plain {
		plain[i] = byte(i * 7)
	}
	want := make([]byte, len(plain))
	c.XOR(want, plain, 0)
	var parts [][]byte
	rest := bytes.Clone(plain)
	for _, n := range []int{0, 1, 15, 16, 33, 0, 400, 535} {
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	c.Apply(parts...)
	if !bytes.Equal(bytes.Join(parts, nil), want) {
		t.Error("parts differ from the whole")
	}
	c.Apply(parts...)
	if !bytes.Equal(bytes.Join(parts, nil), plain) {
		t.Error("twice is not what it was")
	}
	c.Apply()
}
