package arrowio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Identifier is implemented by sources and files that can tell whether their content has changed. A server uses it, for example,
// that issues tickets for a file and answers them later, perhaps on another machine with the same store.
type Identifier interface {
	// Identity returns a short text that stands for the present content. If the source is changed in place, or replaced under its
	// name, Identity returns another text from then on, or from the next time that the source is opened. Every call looks again.
	Identity(ctx context.Context) (string, error)
}

// Identity returns the identity of an open file: what it returns as an Identifier. The identity of a file that is no Identifier,
// because it consists of several files, is made from its splits.
func Identity(ctx context.Context, f File) (string, error) {
	h := sha256.New()
	own := ""
	if id, ok := As[Identifier](f); ok {
		var err error
		if own, err = id.Identity(ctx); err != nil && !errors.Is(err, errs.ErrUnsupported) {
			return "", err
		}
	}
	if own == "" {
		for _, s := range f.Splits() {
			fmt.Fprintf(h, " %d:%d %d", s.Rows.Start, s.Rows.End, s.Bytes)
		}
	}
	fmt.Fprintf(h, "%q", own)
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}
