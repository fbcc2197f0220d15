package auth

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// TokenKind says what a client must send.
type TokenKind string

// Kinds of tokens.
const (
	BearerToken   TokenKind = "token"    // 256 random bits, stored as their SHA-256
	PasswordToken TokenKind = "password" // chosen by a person, stored as argon2id
)

// Token is a line of a token file: the name of a client, and the hash of the token or password that it must send.
//
//	NAME KIND HASH [EXPIRES]
//
// Words are separated by blanks; EXPIRES is a time as in RFC 3339. Empty lines and lines that begin with # are ignored. A name
// may have several lines, so that a new token can be added before the old one is removed.
type Token struct {
	Name    string
	Kind    TokenKind
	Hash    string // "sha256:" and base64, or as argon2 prints it
	Expires time.Time
}

func (t Token) line() string {
	s := t.Name + " " + string(t.Kind) + " " + t.Hash
	if !t.Expires.IsZero() {
		s += " " + t.Expires.UTC().Format(time.RFC3339)
	}
	return s
}

func (t *Token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// fingerprint tells one line from every other: a session ends with the line that it was opened by.
func (t *Token) fingerprint() [16]byte {
	sum := sha256.Sum256([]byte(t.line()))
	return [16]byte(sum[:16])
}

var validIdentity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,127}$`) })

const (
	tokenPrefix = "arrowio_"
	hashPrefix  = "sha256:"
)

// NewToken makes a bearer token for a name, and returns it with the line to store. The token cannot be computed from the line.
func NewToken(name string, expires time.Time) (secret string, t Token, err error) {
	if !validIdentity().MatchString(name) {
		return "", Token{}, errs.Errorf(errs.ErrOption, "%q cannot be a name: letters, digits, _ . @ + - are allowed, at most 128", name)
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, says crypto/rand
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	return secret, Token{Name: name, Kind: BearerToken, Hash: hashToken(secret), Expires: expires.UTC().Truncate(time.Second)}, nil
}

// NewPassword returns the line to store for a name and a password.
func NewPassword(name, password string, expires time.Time) (Token, error) {
	if !validIdentity().MatchString(name) {
		return Token{}, errs.Errorf(errs.ErrOption, "%q cannot be a name: letters, digits, _ . @ + - are allowed, at most 128", name)
	}
	if password == "" || len(password) > maxPassword {
		return Token{}, errs.Errorf(errs.ErrOption, "a password of %d bytes; 1 to %d are allowed", len(password), maxPassword)
	}
	return Token{Name: name, Kind: PasswordToken, Hash: hashPassword(password), Expires: expires.UTC().Truncate(time.Second)}, nil
}

func hashToken(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hashPrefix + base64.RawStdEncoding.EncodeToString(sum[:])
}

// ReadTokens reads a token file.
func ReadTokens(path string) ([]Token, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []Token
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		t, err := parseToken(text)
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: line %d: %w", path, n, err)
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "%s: %w", path, err)
	}
	return out, nil
}

// parseToken never puts the line into its error: it may be a secret that was put there by mistake.
func parseToken(line string) (t Token, err error) {
	words := strings.Fields(line)
	if len(words) < 3 || len(words) > 4 {
		return t, fmt.Errorf("%d words instead of NAME KIND HASH [EXPIRES]", len(words))
	}
	t = Token{Name: words[0], Kind: TokenKind(words[1]), Hash: words[2]}
	if !validIdentity().MatchString(t.Name) {
		return t, errors.New("the first word is no name")
	}
	switch t.Kind {
	case BearerToken:
		b, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(t.Hash, hashPrefix))
		if err != nil || len(b) != sha256.Size || !strings.HasPrefix(t.Hash, hashPrefix) {
			return t, errors.New("the hash of a token is sha256: and 43 characters of base64")
		}
	case PasswordToken:
		if _, err := parseArgon2(t.Hash); err != nil {
			return t, err
		}
	default:
		return t, errors.New("the second word must be token or password")
	}
	if len(words) == 4 {
		if t.Expires, err = time.Parse(time.RFC3339, words[3]); err != nil {
			return t, errors.New("the fourth word is no time of RFC 3339")
		}
	}
	return t, nil
}

// AddToken appends a line to a token file. If the file does not exist, AddToken creates it, readable only by its owner.
func AddToken(path string, t Token) error {
	return editTokens(path, true, func(old []byte) ([]byte, error) {
		if len(old) > 0 && old[len(old)-1] != '\n' {
			old = append(old, '\n')
		}
		return append(old, t.line()+"\n"...), nil
	})
}

// RemoveTokens removes all lines with a name from a token file, and returns their number.
func RemoveTokens(path, name string) (removed int, err error) {
	err = editTokens(path, false, func(old []byte) ([]byte, error) {
		lines := slices.DeleteFunc(strings.SplitAfter(string(old), "\n"), func(line string) bool {
			w := strings.Fields(line)
			if len(w) == 0 || w[0] != name {
				return false
			}
			removed++
			return true
		})
		return []byte(strings.Join(lines, "")), nil
	})
	return removed, err
}

// editTokens replaces the file in one step, so that a server never sees half of it.
func editTokens(path string, create bool, edit func(old []byte) ([]byte, error)) (err error) {
	old, err := os.ReadFile(path)
	mode := fs.FileMode(0o600)
	switch {
	case err == nil:
		if _, err := ReadTokens(path); err != nil { // not a token file, perhaps
			return err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode = fi.Mode().Perm()
	case !create || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	b, err := edit(old)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// tokenFile is a token file that a server watches.
type tokenFile struct{ watched[[]Token] }

func openTokenFile(path string, logger *slog.Logger) (*tokenFile, error) {
	f := &tokenFile{watched[[]Token]{paths: []string{path}, logger: logger, load: func() ([]Token, error) { return ReadTokens(path) }}}
	return f, f.reload()
}

// bearer returns the line of a bearer token; nil = there is none. It takes the same time whichever it is.
func (f *tokenFile) bearer(secret string, now time.Time) *Token {
	hash := []byte(hashToken(secret))
	var found *Token
	for _, t := range f.get() {
		if t.Kind == BearerToken && subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 && !t.expired(now) {
			found = &t
		}
	}
	return found
}

// byFingerprint returns the line that a session was opened by; nil = it is gone.
func (f *tokenFile) byFingerprint(fp [16]byte, now time.Time) *Token {
	for _, t := range f.get() {
		if t.fingerprint() == fp && !t.expired(now) {
			return &t
		}
	}
	return nil
}

// passwords returns the lines of a name's passwords.
func (f *tokenFile) passwords(name string, now time.Time) (out []Token) {
	for _, t := range f.get() {
		if t.Kind == PasswordToken && t.Name == name && !t.expired(now) {
			out = append(out, t)
		}
	}
	return out
}
