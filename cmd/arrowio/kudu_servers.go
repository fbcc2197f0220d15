package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

// kuduServers makes one INPUT of several directories of Kudu's tablet servers: servers have replicas of the same tablets, whose rows
// must not be read twice. To verify or to inspect them, each stands for itself.
func (r *readFlags) kuduServers(args []string) ([]string, error) {
	if r.from.word != readkudu.Name || len(args) < 2 || r.purpose != arrowio.ForRows || slices.ContainsFunc(args, isKuduSet) {
		return args, nil
	}
	if err := r.setKuduServers(args[1:]); err != nil {
		return nil, err
	}
	return args[:1], nil
}

// setKuduServers names the servers beside the first, unless they are named already.
func (r *readFlags) setKuduServers(dirs []string) error {
	v := r.options.values["kudu-server"]
	have := optionLines(r.options.forFormat(readkudu.Name)["kudu-server"])
	for _, dir := range dirs {
		if slices.Contains(have, dir) {
			continue
		}
		if err := v.Set(dir); err != nil {
			return err
		}
	}
	return nil
}

// untilSound runs a conversion. Where it comes by damage in a replica of one of several servers, it runs it again, with all columns of each
// replica read before one is chosen. Nothing is left of the first attempt, as an output appears when it is complete.
func (r *readFlags) untilSound(once func() error) error {
	err := once()
	given := r.options.forFormat(readkudu.Name)
	if !errors.Is(err, errs.ErrCorrupt) || given["kudu-server"] == "" {
		return err
	}
	for _, name := range []string{"kudu-check", "kudu-salvage", "kudu-merge", "kudu-replica"} {
		if v := given[name]; v != "" && v != "false" {
			return err
		}
	}
	check := r.options.values["kudu-check"]
	if err := check.Set("true"); err != nil {
		return err
	}
	again := once()
	return errors.Join(again, check.Set("false"))
}

// isKuduSet reports whether a path is a set of rowsets, which is a table by itself.
func isKuduSet(path string) bool {
	_, err := os.Stat(filepath.Join(path, "schema.json"))
	return err == nil
}
