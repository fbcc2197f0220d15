package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/dataset"
)

var notOfNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+`) })

// unitNamer are the names of datasets of --each. One that was given to a file is never given to another while the server runs: permissions
// and restrictions go by names. The zero value has given none. It is for one goroutine at a time.
type unitNamer struct {
	of   map[string]string // by directory of --each and path in it
	took map[string]string // by directory and name: the path
	gave map[string]string // by name: the path of the file
}

// names returns the name of each unit's dataset in a directory of --each: the one that it had, or its path without the ending, where no
// other has that or had it, or else with it, or else with a number.
func (n *unitNamer) names(dir, prefix string, units []dataset.Unit) []string {
	if n.of == nil {
		n.of, n.took = map[string]string{}, map[string]string{}
	}
	key := func(s string) string { return dir + "\x00" + s }
	count := map[string]int{}
	for _, u := range units {
		count[nameOfUnit(prefix, withoutEnding(u.Name))]++
	}
	free := func(name, unit string) bool {
		had, ok := n.took[key(name)]
		return !ok || had == unit
	}
	out := make([]string, len(units))
	for i, u := range units {
		if out[i] = n.of[key(u.Name)]; out[i] != "" {
			continue
		}
		name := nameOfUnit(prefix, withoutEnding(u.Name))
		if count[name] > 1 || !free(name, u.Name) {
			name = nameOfUnit(prefix, u.Name)
		}
		for k, base := 2, name; !free(name, u.Name); k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		n.of[key(u.Name)], n.took[key(name)], out[i] = name, u.Name, name
	}
	return out
}

// given reports whether a name is that of the file at path: of files in several directories the first has it.
func (n *unitNamer) given(name, path string) bool {
	if n.gave == nil {
		n.gave = map[string]string{}
	}
	had, ok := n.gave[name]
	if !ok {
		n.gave[name] = path
	}
	return !ok || had == path
}

// withoutEnding cuts off what the name of a file says of its format and compression.
func withoutEnding(name string) string {
	ext := path.Ext(name)
	name = strings.TrimSuffix(name, ext)
	if slices.Contains([]string{".gz", ".bz2", ".xz", ".zst", ".zip"}, strings.ToLower(ext)) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// nameOfUnit makes a path a name.
func nameOfUnit(prefix, name string) string {
	if prefix != "" {
		name = prefix + "_" + name
	}
	const most = 120
	sum := sha256.Sum256([]byte(name))
	name = notOfNames().ReplaceAllString(name, "_")
	if strings.HasPrefix(name, "-") {
		name = "_" + name
	}
	if len(name) > most {
		name = name[:most-9] + "_" + hex.EncodeToString(sum[:4])
	}
	return name
}
