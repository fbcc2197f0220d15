package inspect

import (
	"context"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Verify reports what is wrong with the file: checksums, lengths, and messages that cannot be read. A segment of a log may end
// within a batch.
func (f *File) Verify(ctx context.Context, report func(error)) error {
	b, err := f.Head()
	if err != nil {
		return err
	}
	if IsSegment(b) {
		return f.verifySegment(ctx, report)
	}
	c, err := f.container()
	if err != nil {
		return err
	}
	for range c.records() {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, x := range c.faults {
		report(errs.Errorf(errs.ErrCorrupt, "%s", x))
	}
	if len(c.faults) > 0 {
		return nil
	}
	if err := kuduwire.CheckSingle(c.b, c.typ, f.Limits); err != nil {
		report(err)
	}
	return nil
}

func (f *File) verifySegment(ctx context.Context, report func(error)) error {
	entries, footer := int64(0), int64(-1)
	err := f.walk(ctx, segmentParts{
		header: func([]byte, *kuduwire.SegmentHeader) {},
		batch: func(off int64, _ kuduwire.EntryHead, _ int, message []byte) {
			parsed, err := kuduwire.ParseEntries(nil, message)
			if err != nil {
				report(errs.Locate(err, errs.At{Off: errs.N(off)}))
			}
			entries += int64(len(parsed))
		},
		broken: func(off, end int64, why string) {
			if end < f.Src.Size() || off < kuduwire.SegmentHeadSize {
				report(errs.Locate(errs.Errorf(errs.ErrCorrupt, "not a whole batch: %s", why), errs.At{Off: errs.N(off)}))
			}
		},
		footer: func(off int64, b []byte) {
			said, err := kuduwire.ParseSegmentFooter(b)
			if err != nil {
				report(errs.Locate(err, errs.At{Off: errs.N(off)}))
				return
			}
			footer = said.Entries
		},
	})
	if err == nil && footer >= 0 && footer != entries {
		report(errs.Errorf(errs.ErrCorrupt, "the footer counts %d entries, there are %d", footer, entries))
	}
	return err
}
