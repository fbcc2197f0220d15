package auth

import (
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Restriction narrows what some clients may read of some datasets. It permits nothing: that is what a Rule does. Where several
// restrictions concern a client, all of them count.
type Restriction struct {
	Clients  []string // whom it concerns, patterns like Rule.Client
	Except   []string // whom of them it does not concern
	Datasets []string // patterns
	Columns  []string // dotted paths: only these columns may be read; nil = all
	Where    string   // a filter: only rows that satisfy it may be read; "" = all
}

func (r *Restriction) check() error {
	bad := func(why string) error {
		return errs.Errorf(errs.ErrOption, "a restriction of %s: %s", strings.Join(r.Datasets, ", "), why)
	}
	switch {
	case len(r.Clients) == 0:
		return bad("it does not say which clients it concerns")
	case len(r.Datasets) == 0:
		return bad("it does not say which datasets it concerns")
	case r.Columns == nil && r.Where == "":
		return bad("it has neither columns nor a filter")
	}
	for _, pattern := range slices.Concat(r.Clients, r.Except, r.Datasets) {
		pattern = strings.TrimPrefix(pattern, rolePrefix)
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return bad("a name or a pattern is missing or wrong")
		}
	}
	return nil
}

// Names reports whether the restriction concerns a dataset, for some client.
func (r *Restriction) Names(dataset string) bool {
	return slices.ContainsFunc(r.Datasets, func(pattern string) bool { return matches(pattern, dataset) })
}

func (r *Restriction) concerns(id *Identity, dataset string) bool {
	return r.Names(dataset) && slices.ContainsFunc(r.Clients, id.is) && !slices.ContainsFunc(r.Except, id.is)
}

// Restrictions returns the positions of those among Options.Restrictions that concern a client and a dataset.
func (a *Access) Restrictions(client Identity, dataset string) (out []int) {
	for i := range a.o.Restrictions {
		if a.o.Restrictions[i].concerns(&client, dataset) {
			out = append(out, i)
		}
	}
	return out
}
