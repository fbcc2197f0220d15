package orcwire

// AppendEncryption appends what a footer says about encrypted columns, the reverse of what ParseFooter reads.
func AppendEncryption(dst []byte, e *Encryption) []byte {
	for i := range e.Masks {
		k := &e.Masks[i]
		var at int
		dst, at = openMessage(dst, 1)
		dst = appendBytes(dst, 1, k.Name)
		for _, p := range k.Params {
			dst = appendBytes(dst, 2, p)
		}
		if len(k.Columns) > 0 {
			dst = appendPacked(dst, 3, k.Columns)
		}
		dst = closeMessage(dst, at)
	}
	for i := range e.Keys {
		k := &e.Keys[i]
		var at int
		dst, at = openMessage(dst, 2)
		dst = appendBytes(dst, 1, k.Name)
		dst = appendUint(dst, 2, uint64(k.Version))
		dst = appendUint(dst, 3, uint64(k.Algorithm))
		dst = closeMessage(dst, at)
	}
	for i := range e.Variants {
		v := &e.Variants[i]
		var at int
		dst, at = openMessage(dst, 3)
		dst = appendUint(dst, 1, uint64(v.Root))
		dst = appendUint(dst, 2, uint64(v.Key))
		dst = appendBytesOf(dst, 3, v.EncryptedKey)
		dst = appendStreams(dst, 4, v.StripeStats)
		dst = appendBytesOf(dst, 5, v.FileStats)
		dst = closeMessage(dst, at)
	}
	if e.Provider != 0 {
		dst = appendUint(dst, 4, uint64(e.Provider))
	}
	return dst
}
