package trevniwire

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cursor"
)

// Pair is one metadata entry.
type Pair struct {
	Key   string
	Value []byte
}

// Meta is a metadata map in file order. Of a repeated key the last value counts, as in Java.
type Meta []Pair

// Get returns the value of key and whether it is there.
func (m Meta) Get(key string) ([]byte, bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Key == key {
			return m[i].Value, true
		}
	}
	return nil, false
}

// Text returns the value of key as text, "" when absent.
func (m Meta) Text(key string) string {
	v, _ := m.Get(key)
	return string(v)
}

// User returns the entries that are not reserved, without overridden repeats.
func (m Meta) User() Meta {
	var out Meta
	place := map[string]int{} // a file may have any number of keys: no search for each
	for _, p := range m {
		if Reserved(p.Key) {
			continue
		}
		if i, again := place[p.Key]; again {
			out[i].Value = p.Value
			continue
		}
		place[p.Key] = len(out)
		out = append(out, p)
	}
	return out
}

// Reserved reports whether a key belongs to the format, or to what our writer says of the file.
func Reserved(key string) bool { return strings.HasPrefix(key, "trevni.") || key == KeySums }

// pairBytes is about what a pair takes in memory beside its bytes. An empty one takes two bytes of file.
const pairBytes = 48

// parseMeta reads a varint count and that many (string, bytes) pairs. A negative count reads as none, as in Java.
// c may hold the beginning of the file only, so a count of more pairs than fit into it is cursor.ErrShort.
func parseMeta(c *cursor.Cursor, lim errs.Limits) (Meta, error) {
	n := c.Varint32()
	if c.Err() != nil {
		return nil, c.Err()
	}
	if n > 0 && int(n) > c.Remaining()/2 {
		return nil, errs.Errorf(errs.ErrCorrupt, "metadata of %d pairs in %d bytes: %w", n, c.Remaining(), cursor.ErrShort)
	}
	if int64(n)*pairBytes > lim.MetadataBytes {
		return nil, errs.Errorf(errs.ErrLimit, "metadata of %d pairs is over the limit MetadataBytes = %d", n, lim.MetadataBytes)
	}
	var m Meta
	for range n {
		k := c.Bytes(int(c.Varint32()))
		v := c.Bytes(int(c.Varint32()))
		if c.Err() != nil {
			return nil, c.Err()
		}
		m = append(m, Pair{string(k), v})
	}
	return m, nil
}

// appendMeta writes m.
func appendMeta(dst []byte, m Meta) []byte {
	dst = appendVarint(dst, int64(len(m)))
	for _, p := range m {
		dst = appendVarint(dst, int64(len(p.Key)))
		dst = append(dst, p.Key...)
		dst = appendVarint(dst, int64(len(p.Value)))
		dst = append(dst, p.Value...)
	}
	return dst
}

func appendVarint(dst []byte, v int64) []byte {
	u := uint64(v<<1) ^ uint64(v>>63)
	for u >= 0x80 {
		dst = append(dst, byte(u)|0x80)
		u >>= 7
	}
	return append(dst, byte(u))
}
