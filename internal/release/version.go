package main

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// apiFile lists what the packages export. A test of internal/arch keeps it true.
const apiFile = "docs/api.txt"

// checkVersion compares what the packages export now with the last release before this version, and refuses a version that
// promises more than is so.
func (r *release) checkVersion() error {
	out, err := r.command(nil, "git", "tag", "--merged", "HEAD", "--list", "v*")
	if err != nil {
		return err
	}
	last := lastRelease(strings.Fields(string(out)), r.tag)
	if last == "" {
		return nil
	}
	before, err := r.command(nil, "git", "show", last+":"+apiFile)
	if err != nil {
		return err
	}
	now, err := r.sourceFile(apiFile)
	if err != nil {
		return err
	}
	gone, added := compareAPI(string(before), string(now.data))
	return fits(last, r.tag, gone, added)
}

// lastRelease returns the newest of the tags that is older than a version; "" = there is none.
func lastRelease(tags []string, version string) string {
	last := ""
	for _, t := range tags {
		if semver.IsValid(t) && semver.Compare(t, version) < 0 && (last == "" || semver.Compare(t, last) > 0) {
			last = t
		}
	}
	return last
}

// compareAPI returns the lines that only the one and only the other text has.
func compareAPI(before, now string) (gone, added []string) {
	a, b := strings.Split(before, "\n"), strings.Split(now, "\n")
	for _, l := range a {
		if !slices.Contains(b, l) {
			gone = append(gone, l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			added = append(added, l)
		}
	}
	return gone, added
}

// fits reports whether a version may follow another where these lines are gone and added. What breaks callers needs a new
// major version, before v1 a new minor one; what is new a new minor one.
func fits(last, version string, gone, added []string) error {
	const newMajor, newMinor, newPatch = 2, 1, 0
	step := newPatch
	switch {
	case semver.Major(last) != semver.Major(version):
		step = newMajor
	case semver.MajorMinor(last) != semver.MajorMinor(version):
		step = newMinor
	}
	breaks := newMajor
	if semver.Major(last) == "v0" {
		breaks = newMinor
	}
	switch {
	case len(gone) > 0 && step < breaks:
		return fmt.Errorf("%s cannot follow %s: callers break, for these are gone or have changed:\n%s", version, last, strings.Join(gone, "\n"))
	case len(added) > 0 && step < newMinor:
		return fmt.Errorf("%s cannot follow %s as a patch: these are new:\n%s", version, last, strings.Join(added, "\n"))
	}
	return nil
}
