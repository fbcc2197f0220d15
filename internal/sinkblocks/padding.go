package sinkblocks

import (
	"io"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// PaddingOption is the option that Padding reads.
const PaddingOption = "orc-block-padding"

// Values of the option that are no sizes.
const (
	Auto = "auto" // blocks of the store
	None = "none" // parts may lie anywhere
)

const (
	leastPadded = 4 << 10
	mostPadded  = 1 << 40
)

// Padding reads the size of the blocks that parts of a file are to lie within: 0 is Auto, -1 is None.
func Padding(text string) (int64, error) {
	switch text {
	case Auto:
		return 0, nil
	case None:
		return -1, nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n < leastPadded || n > mostPadded {
		return 0, errs.Errorf(errs.ErrOption, "%w is %q; it takes auto, none, or 4KiB to 1TiB", errs.Opt(PaddingOption, ""), text)
	}
	return int64(n), nil
}

// Within returns the size of the blocks that parts of a file lie within, and asks the store for such blocks; 0 = parts may lie anywhere.
// padding is what Padding returns.
func Within(out io.Writer, padding int64) (int64, error) {
	if padding < 0 {
		return 0, nil
	}
	k, _ := out.(arrowio.Sink)
	b := Of(k)
	if b == nil {
		return padding, nil
	}
	if padding > 0 {
		if err := b.SetBlockBytes(padding); err != nil {
			return 0, err
		}
	}
	return b.BlockBytes(), nil
}

// Pad writes n zeros.
func Pad(n int64, write func([]byte) error) error {
	zeros := make([]byte, min(n, 64<<10))
	for ; n > 0; n -= int64(len(zeros)) {
		zeros = zeros[:min(n, int64(len(zeros)))]
		if err := write(zeros); err != nil {
			return err
		}
	}
	return nil
}
