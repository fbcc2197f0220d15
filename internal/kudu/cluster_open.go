package kudu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// ofSeveral reports whether options are about several servers.
func (o *Options) ofSeveral() bool { return len(o.Servers) > 0 || o.Replica != "" || o.Merge }

// samePath reports whether two names are of one file.
func samePath(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// servers are the directories of several tablet servers that may have replicas of the same tablets.
type servers struct {
	all []*server
}

// Close frees what the servers hold.
func (s *servers) Close() error {
	var all []error
	for _, x := range s.all {
		all = append(all, x.blocks.Close())
	}
	return errors.Join(all...)
}

// openServers opens the server at path and those that o names beside it. Each data directory goes to the server whose uuid it has.
// A salvage leaves out servers that cannot be opened.
func openServers(ctx context.Context, path string, limits arrowio.Limits, o Options, f *findings) (*servers, error) {
	switch {
	case o.Block != "":
		return nil, errs.Errorf(errs.ErrOption, "%w reads a block of one server, and there are several", errs.Opt("kudu-block", ""))
	case o.Rebuild != "":
		return nil, errs.Errorf(errs.ErrOption, "%w is for one server: rebuild each by itself", errs.Opt("kudu-rebuild", ""))
	case o.Merge && o.Replica != "":
		return nil, errs.Errorf(errs.ErrOption, "%w reads all replicas, and %w one of them", errs.Opt("kudu-merge", ""), errs.Opt("kudu-replica", ""))
	case o.Merge && o.Snapshot != 0:
		return nil, errs.Errorf(errs.ErrOption, "%w reads the newest rows, not those of a snapshot", errs.Opt("kudu-merge", ""))
	}
	paths := append([]string{path}, o.Servers...)
	data, metadata, err := shareOut(paths, &o, limits.WithDefaults())
	if err != nil {
		return nil, err
	}
	out := &servers{}
	for i, p := range paths {
		mine := o
		mine.Data, mine.Metadata = data[i], metadata[i]
		s, err := openServer(ctx, p, limits, mine)
		if err == nil {
			err = out.add(s)
		}
		switch {
		case err == nil:
			s.path = p
		case o.Salvage && ctx.Err() == nil && !errors.Is(err, errs.ErrOption) && !isDenied(err):
			f.doubt("", "%s cannot be read, and is left out: %v", p, err)
		default:
			return nil, errors.Join(errs.Locate(err, errs.At{File: p}), out.Close())
		}
	}
	if len(out.all) == 0 {
		return nil, errs.Errorf(errs.ErrCorrupt, "kudu: no server can be read")
	}
	return out, nil
}

// add adds a server, which must be another one than those before.
func (s *servers) add(x *server) error {
	for _, o := range s.all {
		if o.dirs.UUID == x.dirs.UUID && x.dirs.UUID != "" || samePath(o.dirs.Metadata, x.dirs.Metadata) {
			return errors.Join(errs.Errorf(errs.ErrOption, "kudu: server %s was named before, as %s: name each server once, and its data directories with %w", x.dirs.UUID, o.path, errs.Opt("kudu-data-dir", "")), x.blocks.Close())
		}
	}
	s.all = append(s.all, x)
	return nil
}

// checkReplica returns an error if a user asks for the replicas of a server that is not named.
func (s *servers) checkReplica(asked string) error {
	if asked == "" || slices.ContainsFunc(s.all, func(x *server) bool { return x.is(asked) }) {
		return nil
	}
	var names []string
	for _, x := range s.all {
		names = append(names, fmt.Sprintf("%s (%s)", x.name(), x.path))
	}
	return errs.Errorf(errs.ErrOption, "kudu: %w: %q is neither the uuid nor the directory of a server that is named: %s", errs.Opt("kudu-replica", ""), asked, strings.Join(names, ", "))
}

// shareOut says which of the data directories and metadata directories are of which server, by the uuids in their instance files.
func shareOut(paths []string, o *Options, lim arrowio.Limits) (data [][]string, metadata []string, err error) {
	d := &Dirs{lim: lim}
	data, metadata = make([][]string, len(paths)), make([]string, len(paths))
	uuids := make([]string, len(paths))
	for i, p := range paths {
		if root, err := serverRoot(p); err == nil {
			uuids[i] = d.serverOf(root)
		}
	}
	owner := func(dir, option string) (int, error) {
		uuid := d.serverOf(dir)
		if uuid == "" {
			uuid = d.serverOf(filepath.Dir(filepath.Clean(dir)))
		}
		if uuid == "" && len(paths) > 1 && !o.Salvage {
			return -1, errs.Errorf(errs.ErrOption, "kudu: nothing tells which of the servers %s is of: its %s file is missing or damaged; %w leaves it out", dir, instanceName, errs.Opt("kudu-salvage", ""))
		}
		i := slices.Index(uuids, uuid)
		if i < 0 && len(paths) > 1 && uuid != "" {
			return -1, errs.Errorf(errs.ErrOption, "kudu: %w: %s is of server %s, which is none of those that are named", errs.Opt(option, ""), dir, uuid)
		}
		if len(paths) == 1 {
			i = 0
		}
		return i, nil
	}
	for _, dir := range o.Data {
		i, err := owner(dir, "kudu-data-dir")
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 && uuids[i] != "" || len(paths) == 1 {
			data[i] = append(data[i], dir)
		}
	}
	for dir := range strings.Lines(o.Metadata) {
		dir = strings.TrimSuffix(dir, "\n")
		i, err := owner(dir, "kudu-metadata-dir")
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 {
			metadata[i] = dir
		}
	}
	return data, metadata, nil
}
