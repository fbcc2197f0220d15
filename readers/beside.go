package readers

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
)

// fileOptions are the options of formats whose values, or lines of them, may name files: each file of a dataset is read
// together with those, so that its rows are others when they are.
var fileOptions = []string{"orc-deletes", "orc-iceberg-schema", "orc-name-mapping", "orc-keys"}

// beside is the files that options name, and what they were before the file that they are for was opened.
type beside struct {
	open  func(ctx context.Context, name string) (arrowio.OpenSource, error)
	names []string
	was   []string // see look
}

// besides looks at the files that the options name. nil = there are none.
func (o Options) besides(ctx context.Context) (*beside, error) {
	b := &beside{open: o.Opener()}
	for _, option := range fileOptions {
		for _, name := range strings.Split(o.Options[option], "\n") {
			if text := strings.TrimSpace(name); text != "" && !strings.ContainsAny(text[:1], "{[") {
				b.names = append(b.names, name)
			} else if text != "" {
				break // the rest is of the same JSON
			}
		}
	}
	if len(b.names) == 0 {
		return nil, nil
	}
	var err error
	b.was, err = b.look(ctx)
	return b, err
}

// look returns the identities of the files as they are now, in the order of names. One that is not there has one, too.
func (b *beside) look(ctx context.Context) ([]string, error) {
	out := make([]string, len(b.names))
	for i, name := range b.names {
		src, err := b.open(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			out[i] = "none"
			continue
		}
		if err != nil {
			return nil, err
		}
		id, err := arrowio.SourceIdentity(ctx, src)
		if err = errors.Join(err, src.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[i] = id
	}
	return out, nil
}

// with returns own, the identity of a file, together with those of the files beside it. Where these have changed since the
// file was opened, nobody knows what was read of them, and the identity is that of no other file.
func (b *beside) with(ctx context.Context, own string) (string, error) {
	if b == nil {
		return own, nil
	}
	is, err := b.look(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", own, is)
	if !slices.Equal(is, b.was) {
		fmt.Fprintf(h, " was %q", b.was)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
