package orcwire

import "bytes"

// AppendFooter appends a footer, the reverse of ParseFooter. Parts of Footer that say nothing are left out: stripe ids
// that count on from the one before, keys that go on from there, and numbers and texts that are optional.
func AppendFooter(dst []byte, f *Footer) []byte {
	dst = appendUint(dst, 1, f.HeaderLength)
	dst = appendUint(dst, 2, f.ContentLength)
	id := int64(0)
	var keys [][]byte
	for i := range f.Stripes {
		s := &f.Stripes[i]
		dst = appendStripeInfo(dst, s, id, keys)
		if s.EncryptStripeID != 0 {
			id = s.EncryptStripeID
		} else {
			id++
		}
		if len(s.EncryptedLocalKeys) > 0 {
			keys = s.EncryptedLocalKeys
		}
	}
	for _, t := range f.Types {
		dst = appendType(dst, t)
	}
	for i := range f.Metadata {
		kv := &f.Metadata[i]
		var at int
		dst, at = openMessage(dst, 5)
		dst = appendBytes(dst, 1, kv.Key)
		dst = appendBytes(dst, 2, kv.Value)
		dst = closeMessage(dst, at)
	}
	if f.HasRows {
		dst = appendUint(dst, 6, uint64(f.Rows))
	}
	dst = appendStatsList(dst, 7, f.Stats)
	dst = appendUint(dst, 8, uint64(f.RowIndexStride))
	dst = appendUint(dst, 9, uint64(f.Writer))
	if f.Encryption != nil {
		var at int
		dst, at = openMessage(dst, 10)
		dst = AppendEncryption(dst, f.Encryption)
		dst = closeMessage(dst, at)
	}
	if f.Calendar != CalendarUnknown {
		dst = appendUint(dst, 11, uint64(f.Calendar))
	}
	if f.SoftwareVersion != "" {
		dst = appendBytes(dst, 12, f.SoftwareVersion)
	}
	return dst
}

// appendStripeInfo appends a stripe that follows one with an id and keys, 0 and nil = none.
func appendStripeInfo(dst []byte, s *StripeInfo, id int64, keys [][]byte) []byte {
	dst, at := openMessage(dst, 3)
	dst = appendUint(dst, 1, uint64(s.Offset))
	dst = appendUint(dst, 2, uint64(s.IndexLength))
	dst = appendUint(dst, 3, uint64(s.DataLength))
	dst = appendUint(dst, 4, uint64(s.FooterLength))
	dst = appendUint(dst, 5, uint64(s.Rows))
	again := sameKeys(s.EncryptedLocalKeys, keys)
	if s.EncryptStripeID != 0 && (s.EncryptStripeID != id+1 || !again) {
		dst = appendUint(dst, 6, uint64(s.EncryptStripeID))
	}
	if !again {
		for _, k := range s.EncryptedLocalKeys {
			dst = appendBytes(dst, 7, k)
		}
	}
	return closeMessage(dst, at)
}

func sameKeys(a, b [][]byte) bool {
	if len(a) != len(b) {
		return len(a) == 0 // none: those before go on
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func appendType(dst []byte, t *Type) []byte {
	dst, at := openMessage(dst, 4)
	dst = appendUint(dst, 1, uint64(t.Kind))
	if len(t.Children) > 0 {
		var kids int
		dst, kids = openMessage(dst, 2)
		for _, c := range t.Children {
			dst = appendVarint(dst, uint64(c.ID))
		}
		dst = closeMessage(dst, kids)
	}
	for _, n := range t.Names {
		dst = appendBytes(dst, 3, n)
	}
	if t.MaxLength > 0 {
		dst = appendUint(dst, 4, uint64(t.MaxLength))
	}
	if t.Precision > 0 {
		dst = appendUint(dst, 5, uint64(t.Precision))
	}
	if t.Precision > 0 || t.Scale > 0 {
		dst = appendUint(dst, 6, uint64(t.Scale))
	}
	for i := range t.Attributes {
		a := &t.Attributes[i]
		var pair int
		dst, pair = openMessage(dst, 7)
		dst = appendBytes(dst, 1, a.Key)
		dst = appendBytes(dst, 2, a.Value)
		dst = closeMessage(dst, pair)
	}
	if t.CRS != "" {
		dst = appendBytes(dst, 8, t.CRS)
	}
	if t.Kind == Geography {
		dst = appendUint(dst, 9, uint64(t.EdgeAlgorithm))
	}
	return closeMessage(dst, at)
}
