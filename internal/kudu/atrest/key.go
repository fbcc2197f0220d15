package atrest

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Key is the key of a server or of a tenant, with which the keys of files are wrapped.
type Key struct{ block cipher.Block }

// newKey returns the key of 16, 24 or 32 bytes.
func newKey(b []byte) (*Key, error) {
	block, err := aes.NewCipher(b)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "a key of %d bits; keys have 128, 192 or 256", 8*len(b))
	}
	return &Key{block: block}, nil
}

// Unwrapped returns the keys of an instance file as Kudu's default key provider unwraps them: it keeps each in hexadecimal
// digits, with all bits of 42 flipped in each byte. Whether that provider has wrapped a key nothing says. Texts that are no keys
// are passed over.
func Unwrapped(i *kuduwire.Instance) (keys []*Key) {
	for _, text := range i.Keys {
		b, err := hex.DecodeString(text)
		if err != nil {
			continue
		}
		for i := range b {
			b[i] ^= 42
		}
		if k, err := newKey(b); err == nil {
			keys = append(keys, k)
		}
	}
	return keys
}

// envPrefix begins the name of a variable of the environment in place of a file's.
const envPrefix = "env:"

// maxKeys bounds the size of a file of keys.
const maxKeys = 64 << 10

// Given returns the keys that a user names: the file name, or the variable of the environment NAME if it is env:NAME, has a key in
// hexadecimal digits in each line. No error has anything of what is there.
func Given(name string) (keys []*Key, err error) {
	var text string
	if variable, ok := strings.CutPrefix(name, envPrefix); ok {
		if text, ok = os.LookupEnv(variable); !ok {
			return nil, errs.Errorf(errs.ErrOption, "the environment has no variable %s", variable)
		}
	} else {
		fi, err := os.Stat(name)
		if err == nil && fi.Size() > maxKeys {
			return nil, errs.Errorf(errs.ErrOption, "%s: %d bytes are too many for a file of keys", name, fi.Size())
		}
		b, err := os.ReadFile(name)
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: %w", name, err)
		}
		text = string(b)
	}
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b, err := hex.DecodeString(line)
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: line %d is not a key in hexadecimal digits", name, n+1)
		}
		k, err := newKey(b)
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: line %d: %w", name, n+1, err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errs.Errorf(errs.ErrOption, "%s: there is no key", name)
	}
	return keys, nil
}

// unwrap returns the key of a file, which lies in its header. An error is about the header.
func (k *Key) unwrap(header []byte) (cipher.Block, error) {
	width := header[len(magic)]
	if int(width) >= len(widths) {
		return nil, errs.Errorf(errs.ErrUnsupported, "encryption algorithm %d; this reader knows 0 to %d", width, len(widths)-1)
	}
	b := slices.Clone(header[len(magic)+1 : len(magic)+1+maxWidth])
	for i := 0; i < len(b); i += aes.BlockSize {
		k.block.Decrypt(b[i:], b[i:])
	}
	return aes.NewCipher(b[:widths[width]])
}
