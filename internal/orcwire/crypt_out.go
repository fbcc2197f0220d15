package orcwire

// ProviderHadoop is Encryption.Provider of local keys that are wrapped as Unwrap has it: what is random is the wrapped key,
// and Unwrap makes a new local key of it.
const ProviderHadoop = 1

// MostEncryptStripes is the most stripes that a file with encrypted columns has: each has a number of 24 bits, from 1 on,
// and so has the tail.
const MostEncryptStripes = 1<<24 - 2

// Newest returns what files say of the newest version of a master key, the one to encrypt with; false where the ring has
// none of that name.
func (r KeyRing) Newest(name string) (Key, bool) {
	k := Key{Name: name}
	for i, v := range r[name] {
		if i == 0 || v.Version > k.Version {
			k.Version, k.Algorithm = v.Version, uint8(v.Algorithm)
		}
	}
	return k, len(r[name]) > 0
}

// Apply encrypts, or decrypts, a stream in place, whole: its parts follow each other.
func (c *CTR) Apply(parts ...[]byte) {
	off := int64(0)
	for _, b := range parts {
		c.XOR(b, b, off)
		off += int64(len(b))
	}
}
