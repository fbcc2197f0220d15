package auth

import (
	"fmt"
	"slices"
	"strings"
)

// maxRoles is how many roles a client may have.
const maxRoles = 1000

// claim returns a claim: the one of this whole name, which may have dots, or the one that the dotted path leads to.
func claim(claims map[string]any, path string) any {
	if v, ok := claims[path]; ok {
		return v
	}
	first, rest, dotted := strings.Cut(path, ".")
	inner, ok := claims[first].(map[string]any)
	if !dotted || !ok {
		return nil
	}
	return claim(inner, rest)
}

// name returns the client's name.
func (i *issuer) name(claims map[string]any) (string, error) {
	s, ok := claim(claims, i.Name).(string)
	if !ok {
		return "", fmt.Errorf("JWT: it has no claim %q that is a text: who the client is, is not known", i.Name)
	}
	s = i.Prefix + s
	if err := checkName(s); err != nil || s == i.Prefix {
		return "", fmt.Errorf("JWT: the claim %q is no name", i.Name)
	}
	return s, nil
}

// roles returns the client's roles, sorted. A claim that is not there lists none.
func (i *issuer) roles(claims map[string]any) ([]string, error) {
	var out []string
	for _, path := range i.Roles {
		var words []any
		switch v := claim(claims, path).(type) {
		case nil:
		case string:
			for _, w := range strings.Fields(v) {
				words = append(words, w)
			}
		case []any:
			words = v
		default:
			return nil, fmt.Errorf("JWT: the claim %q is no list of roles", path)
		}
		for _, w := range words {
			s, ok := w.(string)
			if !ok || s == "" || checkName(i.Prefix+s) != nil {
				return nil, fmt.Errorf("JWT: the claim %q has what is no role", path)
			}
			out = append(out, i.Prefix+s)
		}
		if len(out) > maxRoles {
			return nil, fmt.Errorf("JWT: it has more than %d roles", maxRoles)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
