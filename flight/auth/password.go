package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"
)

// argon2id's costs for new passwords: 19 MiB, two passes, one thread (OWASP's first choice). Those of a stored hash are
// its own, within bounds.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonKey    = 32
	maxPassword = 1024
)

type argon2Hash struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

func hashPassword(password string) string {
	h := argon2Hash{memory: argonMemory, time: argonTime, threads: 1, salt: make([]byte, 16)}
	_, _ = rand.Read(h.salt) // never fails, says crypto/rand
	h.key = h.derive(password, argonKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.threads, b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

func (h *argon2Hash) derive(password string, n uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.threads, n)
}

func (h *argon2Hash) matches(password string) bool {
	return subtle.ConstantTimeCompare(h.derive(password, uint32(len(h.key))), h.key) == 1
}

// parseArgon2 reads the form that the argon2 program prints.
func parseArgon2(s string) (*argon2Hash, error) {
	bad := errors.New("the hash of a password is $argon2id$v=19$m=...,t=...,p=...$salt$key")
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return nil, bad
	}
	var h argon2Hash
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &h.threads); err != nil {
		return nil, bad
	}
	if parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.time, h.threads) {
		return nil, bad
	}
	var err1, err2 error
	h.salt, err1 = base64.RawStdEncoding.DecodeString(parts[4])
	h.key, err2 = base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.key) < 16 || len(h.key) > 64 {
		return nil, bad
	}
	if h.memory < 8 || h.memory > 1<<20 || h.time < 1 || h.time > 64 || h.threads < 1 || h.threads > 64 {
		return nil, errors.New("the costs of a password's hash are out of bounds: m 8 to 1048576, t and p 1 to 64")
	}
	return &h, nil
}

// decoy takes as long as a real hash, for names that have none.
var decoy = sync.OnceValue(func() *argon2Hash {
	h, err := parseArgon2(hashPassword(rand.Text()))
	if err != nil {
		panic(err)
	}
	return h
})
