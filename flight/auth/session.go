package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// A session's token is sealed, not stored:
//
//	prefix base64(expires, 8 bytes | fingerprint of the token's line, 16 | HMAC-SHA-256 of both, 32)
const sessionPrefix = "arrowio-session_"

func (a *Access) session(t *Token) string {
	until := time.Now().Add(a.o.Session)
	if !t.Expires.IsZero() && t.Expires.Before(until) {
		until = t.Expires
	}
	fp := t.fingerprint()
	b := append(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())), fp[:]...)
	return sessionPrefix + base64.RawURLEncoding.EncodeToString(append(b, a.seal(b)...))
}

func (a *Access) seal(b []byte) []byte {
	mac := hmac.New(sha256.New, a.key[:])
	mac.Write([]byte(sessionPrefix)) // the key has another use
	mac.Write(b)
	return mac.Sum(nil)
}

func (a *Access) openSession(token string, now time.Time) (fp [16]byte, until time.Time, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 8+16+sha256.Size || !hmac.Equal(b[24:], a.seal(b[:24])) {
		return fp, until, false
	}
	until = time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	return [16]byte(b[8:24]), until, now.Before(until)
}
