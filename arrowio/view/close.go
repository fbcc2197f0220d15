package view

import "github.com/arrowio/arrowio/arrowio"

// WithClose returns f with another Close, which calls close; nil = it does nothing. Scans close the files that they are given: nil
// is for a file that stays open.
func WithClose(f arrowio.File, close func() error) arrowio.File { return &withClose{f, close} }

type withClose struct {
	arrowio.File
	close func() error
}

func (w *withClose) Unwrap() arrowio.File { return w.File }

func (w *withClose) Close() error {
	if w.close == nil {
		return nil
	}
	return w.close()
}
