package cfile

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// dictionary is that of a string column. All readers of the file share it; it lives on Go's heap and does not change.
type dictionary struct {
	entries *bitpack.Dictionary
	mean    int64 // bytes of an entry
	text    bool  // all entries are UTF-8
}

// dictionary returns the file's dictionary, which is read the first time.
func (f *Reader) dictionary(ctx context.Context) (*dictionary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dict != nil {
		return f.dict, nil
	}
	if f.footer.Dict == nil {
		return nil, f.inFooter(errs.Errorf(errs.ErrCorrupt, "encoding %v, and no dictionary", f.footer.Encoding))
	}
	d, err := f.readDictionary(ctx)
	if err != nil {
		return nil, errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "dictionary", Off: errs.N(f.footer.Dict.Off)})
	}
	f.dict = d
	return d, nil
}

func (f *Reader) readDictionary(ctx context.Context) (*dictionary, error) {
	var codec blockcodec.Decoder
	raw, err := f.readBlock(ctx, *f.footer.Dict, &codec)
	if err != nil {
		return nil, err
	}
	if n := int64(len(raw)); n > f.limits.DictionaryBytes {
		return nil, errs.Errorf(errs.ErrLimit, "a dictionary of %d bytes is over the limit DictionaryBytes = %d", n, f.limits.DictionaryBytes)
	}
	var s cfilewire.Strings
	if _, err := s.OpenPlain(raw); err != nil {
		return nil, err
	}
	offsets, data := s.Flat()
	d := &dictionary{entries: bitpack.NewDictionary(offsets, data), text: bitpack.FirstNotUTF8(offsets, data) < 0}
	d.mean = s.Size(s.Len()) / int64(max(1, s.Len()))
	return d, nil
}

// ErrNotText is in the error about a string that is not UTF-8; the error tells how to read it as binary.
var ErrNotText = errors.New("a string is not UTF-8")

// stringValues decodes strings and binary into offsets and bytes.
type stringValues struct {
	column *Column
	text   bool // must be UTF-8
	out    arrowbuf.Strings

	flat  cfilewire.Strings
	codes cfilewire.BitShuffle
	dict  *dictionary // nil = the block holds the strings themselves
	ids   []int32
}

func (c *Column) newStrings(t arrow.DataType) (content, error) {
	return &stringValues{column: c, text: t.ID() == arrow.STRING, out: arrowbuf.NewStrings(c.opt.Mem)}, nil
}

func (v *stringValues) open(b []byte) (cfilewire.Head, error) {
	f := v.column.file
	v.dict = nil
	switch f.footer.Encoding {
	case cfilewire.EncodingPrefix:
		return v.flat.OpenPrefix(b, f.frame.Limit)
	case cfilewire.EncodingDict:
		mode, rest, err := cfilewire.ParseDictMode(b)
		if err != nil {
			return cfilewire.Head{}, err
		}
		if mode == cfilewire.DictPlain {
			return v.flat.OpenPlain(rest)
		}
		if v.dict, err = f.dictionary(v.column.window.ctx); err != nil {
			return cfilewire.Head{}, err
		}
		return v.codes.Open(rest, 4, true)
	}
	return v.flat.OpenPlain(b)
}

func (v *stringValues) read(s arrowbuf.Slots) error {
	if err := v.column.opt.Budget.Take(4 * int64(s.N)); err != nil {
		return err
	}
	slots, ends := v.out.Grow(s.N, s.Count)
	var err error
	if v.dict != nil {
		err = v.gather(ends)
	} else {
		err = v.copy(ends)
	}
	if err != nil {
		return err
	}
	v.out.Fill(slots, ends, s.Present, s.Off)
	return nil
}

// room admits n more bytes and returns where they go.
func (v *stringValues) room(n int64) ([]byte, error) {
	if err := v.column.opt.Budget.Take(n); err != nil {
		return nil, err
	}
	b, ok := v.out.Room(n)
	if !ok {
		return nil, errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of strings: take fewer rows in a batch")
	}
	return b, nil
}

func (v *stringValues) copy(ends []int32) error {
	dst, err := v.room(v.flat.Size(len(ends) - 1))
	if err != nil {
		return err
	}
	if err := v.flat.Next(ends, dst); err != nil {
		return err
	}
	return v.check(ends, dst)
}

// cheapBytes is how much room is taken for entries of the greatest length rather than adding up lengths.
const cheapBytes = 4 << 20

// gather decodes code words and copies their entries.
func (v *stringValues) gather(ends []int32) error {
	n := len(ends) - 1
	v.ids = grow(v.ids, n+bitpack.DstSlack/4)
	ids := v.ids[:n]
	if err := v.codes.NextCodes(ids); err != nil {
		return err
	}
	d := v.dict.entries
	size := int64(n) * int64(d.Longest())
	if size > cheapBytes {
		var err error
		if size, err = d.Size(ids); err != nil {
			return err
		}
	}
	dst, err := v.room(size)
	if err != nil {
		return err
	}
	if err := d.Gather(ends, dst, ids); err != nil {
		return err
	}
	v.column.opt.Budget.Give(size - int64(ends[n]-ends[0]))
	if v.dict.text {
		return nil
	}
	return v.check(ends, dst)
}

// check tests that new text is UTF-8.
func (v *stringValues) check(ends []int32, data []byte) error {
	if !v.text || bitpack.FirstNotUTF8(ends, data) < 0 {
		return nil
	}
	hint := ""
	if o := v.column.opt.Strings; o != "" {
		hint = ": --" + o + " shows its bytes"
	}
	return errs.Errorf(errs.ErrCorrupt, "%w%s", ErrNotText, hint)
}

func (v *stringValues) skip(n int) error {
	if v.dict != nil {
		return v.codes.Skip(n)
	}
	return v.flat.Skip(n)
}

func (v *stringValues) left() int {
	if v.dict != nil {
		return v.codes.Left()
	}
	return v.flat.Left()
}

// fit goes by the bytes of the strings ahead, or by the mean and the longest entry of the dictionary.
func (v *stringValues) fit(n int, bytes int64) int {
	if v.dict == nil {
		for n > 0 && v.flat.Size(n)+4*int64(n) > bytes {
			n /= 2
		}
		return n
	}
	n = fitWidth(n, bytes, 4+v.dict.mean)
	return fitWidth(n, v.column.file.limits.BatchBytes/2, 4+int64(v.dict.entries.Longest()))
}

func (v *stringValues) take() parts { return parts{buffers: v.out.Take()} }
func (v *stringValues) release()    { v.out.Release() }
