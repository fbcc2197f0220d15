package orc

import (
	optionvalues "github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// secrets is what a file's encryption comes to with the keys at hand. A nil one is a file without encryption.
type secrets struct {
	info *orcwire.Encryption
	keys orcwire.KeyRing
	use  []int32 // the variant to read each type from, -1 = as it is in clear
}

// unlock chooses the variants that can be read.
func (f *File) unlock() (*secrets, error) {
	e := f.footer.Encryption
	if e == nil || len(e.Variants) == 0 {
		return nil, nil
	}
	x := &secrets{info: e, keys: f.opt.Keys.ring}
	x.use = e.Choose(f.footer.Types, func(key int) bool { return x.keys.Has(&e.Keys[key]) })
	return x, nil
}

// has reports whether the key of a variant is at hand.
func (x *secrets) has(variant int) bool {
	return x != nil && x.keys.Has(&x.info.Keys[x.info.Variants[variant].Key])
}

// variant returns the variant that a type is read from; false = it is read as it is in clear.
func (x *secrets) variant(column int) (int, bool) {
	if x == nil || x.use == nil || x.use[column] < 0 {
		return 0, false
	}
	return int(x.use[column]), true
}

// veiled reports whether the row index and the bloom filters of a column may be of what is hidden: it is read as it
// stands for those without a key, and Java wrote it, whose releases all put bloom filters of the hidden values there, and
// some row indexes.
func (f *File) veiled(t *orcwire.Type) bool {
	e := f.footer.Encryption
	if e == nil || f.quirks.Writer != orcwire.WriterJava {
		return false
	}
	if _, open := f.secrets.variant(t.ID); open {
		return false
	}
	for _, v := range e.Variants {
		if root := f.footer.Types[v.Root]; t.ID >= root.ID && t.ID <= root.Last {
			return true
		}
	}
	return false
}

// inClear returns the streams of a stripe if all are read as they are, and none of them is a place that encrypted ones lie in.
func (x *secrets) inClear(f *orcwire.StripeFooter) ([]orcwire.Stream, bool) {
	if x != nil && x.use != nil {
		return nil, false
	}
	for i := range f.Streams {
		if k := f.Streams[i].Kind; k == orcwire.EncryptedIndex || k == orcwire.EncryptedData {
			return nil, false
		}
	}
	return f.Streams, true
}

// directory lists a stripe's streams as they are read with the keys at hand, and the encodings of its columns.
func (x *secrets) directory(s *stripe) ([]stream, []orcwire.Encoding, error) {
	var use []int32
	if x != nil {
		use = x.use
	}
	all, encodings, err := s.footer.Directory(s.file.footer.Encryption, use)
	if err != nil {
		return nil, nil, err
	}
	local := map[int32]*orcwire.LocalKey{}
	out := make([]stream, 0, len(all))
	for _, y := range all {
		z := stream{kind: y.Kind, column: y.Column, off: s.info.Offset + y.Offset, len: y.Length}
		if y.Variant >= 0 {
			if z.key, err = x.cipher(s, y, local); err != nil {
				return nil, nil, err
			}
		}
		out = append(out, z)
	}
	return out, encodings, nil
}

// cipher returns what decrypts a stream; local holds the keys of the stripe that were unwrapped before.
func (x *secrets) cipher(s *stripe, y orcwire.VariantStream, local map[int32]*orcwire.LocalKey) (*orcwire.CTR, error) {
	k := local[y.Variant]
	if k == nil {
		v := &x.info.Variants[y.Variant]
		wrapped := v.EncryptedKey
		if keys := s.info.EncryptedLocalKeys; int(y.Variant) < len(keys) {
			wrapped = keys[y.Variant]
		}
		var err error
		if k, err = x.keys.Unwrap(&x.info.Keys[v.Key], wrapped); err != nil {
			return nil, err
		}
		local[y.Variant] = k
	}
	return k.Stream(y.Column, y.Kind, s.info.EncryptStripeID)
}

// Keys holds master keys by name, each with its versions. The zero value has none. Printing it shows only the names.
type Keys struct{ ring orcwire.KeyRing }

// ParseKeys parses master keys from JSON. Each name has one version of a key, or a list of versions:
//
//	{"pii": {"version": 0, "algorithm": "AES_CTR_128", "key": "000102030405060708090a0b0c0d0e0f"}}
//
// Errors are of kind errs.ErrOption, and do not contain the text, since it is secret.
func ParseKeys(text []byte) (Keys, error) {
	ring, err := orcwire.ParseKeys(text)
	return Keys{ring}, err
}

// String returns the names of the keys.
func (k Keys) String() string { return k.ring.String() }

// GoString returns the names of the keys.
func (k Keys) GoString() string { return k.ring.String() }

// loadKeys reads master keys: JSON itself, or the name of a file that holds it.
func loadKeys(text string) (Keys, error) {
	b, err := optionvalues.JSON("orc-keys", text)
	if err != nil {
		return Keys{}, err
	}
	return ParseKeys(b)
}
