package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/flight"
)

// checkNames returns an error if a restriction or a rule of --permit is about no dataset and never can be: a name that is spelled
// wrong restricts nobody. Where datasets of the name may come later, it is logged. names are those of the datasets.
func (f *serveFlags) checkNames(ctx context.Context, names []string, log *slog.Logger) error {
	check := func(of, pattern string, names []string) error {
		if slices.ContainsFunc(names, func(name string) bool { return covers(pattern, name) }) || f.put.mayHave(pattern) {
			return nil
		}
		if !f.each.mayHave(pattern) {
			return usagef("%s: there is no dataset %s, and none can come: datasets are %s", of, pattern, someNames(names))
		}
		log.WarnContext(ctx, "there is no such dataset so far: one may come with --each", "name", pattern, "in", of)
		return nil
	}
	for _, r := range f.ops.restrictions {
		for _, pattern := range r.Datasets {
			if err := check(restrictKey, pattern, names); err != nil {
				return inFile(f.ops.config, err)
			}
		}
	}
	known := slices.Concat(names, slices.Collect(maps.Keys(f.sql.views))) // reading a view is permitted as a dataset is
	for _, text := range f.ops.permit {
		rule, err := flight.ParseRule(text)
		if err != nil {
			return err
		}
		for _, pattern := range rule.Datasets {
			if err := check("--permit "+text, pattern, known); err != nil {
				return err
			}
		}
	}
	return nil
}

// covers reports whether a pattern is about a name.
func covers(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// fixed returns what all names of a pattern begin with, and whether that is all of them.
func fixed(pattern string) (begin string, whole bool) {
	i := strings.IndexAny(pattern, `*?[\`)
	if i < 0 {
		return pattern, true
	}
	return pattern[:i], false
}

// mayMeet reports whether there can be a name that two patterns are about. Of two that have a * each it may say so where there is none.
func mayMeet(a, b string) bool {
	beginA, wholeA := fixed(a)
	beginB, wholeB := fixed(b)
	switch {
	case wholeA:
		return covers(b, a)
	case wholeB:
		return covers(a, b)
	}
	return strings.HasPrefix(beginA, beginB) || strings.HasPrefix(beginB, beginA)
}

// mayHave reports whether clients can put a dataset that the pattern is about.
func (f *putFlags) mayHave(pattern string) bool {
	return slices.ContainsFunc(f.writable, func(arg string) bool {
		names, _, _ := strings.Cut(arg, "=")
		return mayMeet(pattern, names)
	})
}

// mayHave reports whether a file that comes into a directory of --each can be a dataset that the pattern is about.
func (f *eachFlags) mayHave(pattern string) bool {
	return slices.ContainsFunc(f.dirs, func(arg string) bool {
		prefix, _ := eachDir(arg)
		return mayMeet(pattern, nameOfUnit(prefix, "")+"*")
	})
}

// someNames lists the first of names.
func someNames(names []string) string {
	const most = 10
	names = slices.Sorted(slices.Values(names))
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
