package auth

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Identity is a client as it has authenticated.
type Identity struct {
	Name  string    // "" = clients need no name
	Roles []string  // from the claims of a JWT, sorted
	Until time.Time // when the token that the client sent stops being valid; zero = never
}

// rolePrefix marks a role where rules name clients.
const rolePrefix = "role:"

// is reports whether a pattern names the client: the client's name, or rolePrefix and one of its roles.
func (id *Identity) is(pattern string) bool {
	if role, ok := strings.CutPrefix(pattern, rolePrefix); ok {
		return slices.ContainsFunc(id.Roles, func(r string) bool { return matches(role, r) })
	}
	return matches(pattern, id.Name)
}

const maxName = 256

// checkName checks a name or a role from a claim: it goes to logs, and is compared with patterns.
func checkName(s string) error {
	switch {
	case s == "" || len(s) > maxName:
		return fmt.Errorf("%d bytes; 1 to %d are allowed", len(s), maxName)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return fmt.Errorf("%+q has characters that cannot be shown", s)
	}
	return nil
}
