package auth

import (
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Permission is a kind of access to a dataset or to the server.
type Permission string

// The permissions.
const (
	PermitRead   Permission = "read"   // its schema and rows, and what is known of its files
	PermitWrite  Permission = "write"  // put rows under its name
	PermitManage Permission = "manage" // refresh it; the calls of others
)

// Rule grants a permission to clients. Client and Datasets are patterns for path.Match.
type Rule struct {
	// Client is a pattern of the client's name, from its token or certificate; "*" = every client that is admitted. After "role:" it
	// is a pattern of a role, from the claims of a JWT; "role:*" = every client that has a role.
	Client     string
	Permission Permission
	Datasets   []string
}

// ParseRule parses CLIENT:PERMISSION=DATASET[,DATASET...], such as "alice:write=staging-*,scratch", "*:read=public*" or
// "role:analyst:read=events".
func ParseRule(s string) (Rule, error) {
	bad := func(why string) (Rule, error) {
		return Rule{}, errs.Errorf(errs.ErrOption, "%q is no permission such as alice:read=events,prices-*: %s", s, why)
	}
	// A client's name may be a URI, with colons.
	left, datasets, ok := strings.Cut(s, "=")
	i := strings.LastIndexByte(left, ':')
	if !ok || i < 0 {
		return bad("it wants CLIENT:PERMISSION=DATASETS")
	}
	r := Rule{Client: left[:i], Permission: Permission(left[i+1:]), Datasets: strings.Split(datasets, ",")}
	if !slices.Contains([]Permission{PermitRead, PermitWrite, PermitManage}, r.Permission) {
		return bad("a permission is one of read, write, manage")
	}
	for _, pattern := range append([]string{strings.TrimPrefix(r.Client, rolePrefix)}, r.Datasets...) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return bad("a name or a pattern is missing or wrong")
		}
	}
	return r, nil
}

func (r *Rule) permits(client *Identity, p Permission, dataset string) bool {
	if r.Permission != p || !client.is(r.Client) {
		return false
	}
	return slices.ContainsFunc(r.Datasets, func(pattern string) bool { return matches(pattern, dataset) })
}

// matches takes "*" for everything, with slashes, too: names of certificates may be URIs.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == "*" || err == nil && ok
}
