package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/readers"
)

// putFlags are the flags of serve for data that clients put.
type putFlags struct {
	writable []string // NAME=DIR
}

func (f *putFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.writable, "writable", nil, "let clients put datasets, `NAME=DIR`: those of this name, or pattern such as staging-*, each as a directory of its name in DIR, which may be s3:// or hdfs://; those that are there are served. Where clients say who they are, --permit says who may write; may be given several times")
}

// places reads the flag.
func (f *putFlags) places(read readers.Options) ([]flight.Writable, error) {
	var out []flight.Writable
	for _, arg := range f.writable {
		name, dir, ok := strings.Cut(arg, "=")
		_, err := filepath.Match(name, "")
		if !ok || dir == "" || name == "" || err != nil || !flight.ValidName(strings.NewReplacer("*", "x", "?", "x", "[", "", "]", "").Replace(name)) {
			return nil, usagef("serve: --writable %q is not NAME=DIR, such as staging-*=/data/staging", arg)
		}
		if err := writableDir(arg, dir); err != nil {
			return nil, err
		}
		out = append(out, flight.Writable{Names: name, Dir: dir, Read: read})
	}
	return out, nil
}

// writableDir checks a directory that datasets are put to. One of a store is looked at when its datasets are listed.
func writableDir(arg, dir string) error {
	switch scheme := stores.Scheme(dir); scheme {
	case "":
	case "s3", "s3a", "hdfs":
		return nil
	default:
		return usagef("serve: --writable %s: what is put goes to a directory of this machine, s3:// or hdfs://, not to %s://", arg, scheme)
	}
	fi, err := os.Stat(dir)
	if err == nil && !fi.IsDir() {
		err = usagef("serve: --writable %s: %s is not a directory", arg, dir)
	}
	return err
}

// apply makes names writable.
func (f *putFlags) apply(read readers.Options, ops *opsFlags, o *flight.Options) error {
	places, err := f.places(read)
	if err != nil {
		return err
	}
	o.Writable = places
	// Without authentication, everybody may write to writable names, and do what is allowed without rules.
	if len(places) > 0 && len(ops.permit) == 0 && !ops.asksClients() {
		ops.permit = []string{"*:read=*", "*:manage=*"}
		for _, w := range places {
			ops.permit = append(ops.permit, "*:write="+w.Names)
		}
	}
	return nil
}

// addPut adds the datasets that clients have put before to the catalog. names are those that the catalog has already.
func addPut(ctx context.Context, names []string, o *flight.Options) ([]string, error) {
	for _, w := range o.Writable {
		if err := w.Clean(o.Logger); err != nil {
			return nil, err
		}
		found, err := w.Datasets()
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if slices.Contains(names, name) {
				continue
			}
			if err := offer(ctx, o.Catalog, name, w.Spec(name)); err != nil {
				return nil, inFile(w.Spec(name).Paths[0], err)
			}
			names = append(names, name)
		}
	}
	return names, nil
}
