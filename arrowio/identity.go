package arrowio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Identifier is implemented by sources and files that can tell whether they are still what they were: by a server, say,
// that hands out references to a file and honours them later, perhaps on another machine over the same store.
type Identifier interface {
	// Identity returns a short text, one for one content: a source that is changed in place, or replaced where it was
	// opened from, gives another from then on, or from when it is opened next. It looks each time.
	Identity(ctx context.Context) (string, error)
}

// Identity returns what an open file says of its content, as an Identifier does. A file that does not say, because it is
// made of several, is told by its splits.
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
