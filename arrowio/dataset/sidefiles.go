package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// sideFiles are the files that options name, with their identities from before the data file was opened. If they change, the rows
// of the data file change.
type sideFiles struct {
	open  func(ctx context.Context, name string) (arrowio.OpenSource, error)
	names []string
	was   []string // see look; nil = not looked at
}

// sideFiles looks at the files that the options name (arrowio.Option.Files).
func (o Options) sideFiles(ctx context.Context) (*sideFiles, error) {
	s := &sideFiles{open: o.stores().Open, names: o.named()}
	if len(s.names) == 0 || !o.Identified {
		return s, nil
	}
	var err error
	s.was, err = s.look(ctx)
	return s, err
}

// named returns the files that options name: each line of a value, unless the value is JSON.
func (o Options) named() (names []string) {
	for _, f := range o.Formats {
		for _, option := range f.Options {
			if !option.Files {
				continue
			}
			for _, name := range strings.Split(o.Options[option.Name], "\n") {
				text := strings.TrimSpace(name)
				if text != "" && strings.ContainsAny(text[:1], "{[") {
					break // the rest is of the same JSON
				}
				if text != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// look returns the present identities of the files, in the order of names. A file that does not exist has an identity, too.
func (s *sideFiles) look(ctx context.Context) ([]string, error) {
	out := make([]string, len(s.names))
	for i, name := range s.names {
		src, err := s.open(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			out[i] = "none"
			continue
		}
		if err != nil {
			return nil, err
		}
		id, err := local.Identity(ctx, src)
		if err = errors.Join(err, src.Close()); err != nil {
			return nil, errs.Locate(err, errs.At{File: name})
		}
		out[i] = id
	}
	return out, nil
}

// with combines own, the identity of a file, with those of its side files. If these have changed since the file was opened, the
// content that was read is unknown, and with returns an identity that no other file has.
func (s *sideFiles) with(ctx context.Context, own string) (string, error) {
	if len(s.names) == 0 {
		return own, nil
	}
	is, err := s.look(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", own, is)
	if s.was != nil && !slices.Equal(is, s.was) {
		fmt.Fprintf(h, " was %q", s.was)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
