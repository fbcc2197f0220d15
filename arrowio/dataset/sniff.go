package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/farread"
)

// sniffBytes is how much of both ends of a file is looked at.
const sniffBytes = 64

// Sniff returns the format of a file from its first and last bytes, up to 64 each. The extension of the name decides only if no
// format recognises the bytes. If no format, or several, fit, the error is ErrUnsupported and lists the formats that were tried.
func Sniff(formats []arrowio.Format, head, tail []byte, name string) (arrowio.Format, error) {
	var matches []arrowio.Format
	for _, f := range formats {
		if matchesBytes(f, head, tail) {
			matches = append(matches, f)
		}
	}
	if len(matches) == 0 {
		if f, ok := byExtension(formats, name); ok {
			return explained(f, formats, false), nil
		}
	}
	switch len(matches) {
	case 1:
		return matches[0], nil
	case 0:
		if len(head) == 0 {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "it is empty, so its format cannot be told; name the format with %w", errs.Opt("from", ""))
		}
		if packer := compressor(head); packer != "" {
			return arrowio.Format{}, packedError(formats, packer)
		}
		if foreign := foreignFormat(head, tail); foreign != "" {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "this is %s, which is not read", foreign)
		}
		if name == "-" || name == "" {
			return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "unknown format: the content matches none of %s; name the format with %w", strings.Join(names(formats, true), ", "), errs.Opt("from", ""))
		}
		return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "unknown format: the content matches none of %s and the extension none of %s; name the format with %w", strings.Join(names(formats, true), ", "), strings.Join(extensions(formats), ", "), errs.Opt("from", ""))
	}
	return arrowio.Format{}, errs.Errorf(errs.ErrUnsupported, "the content matches %s; choose one with %w", strings.Join(names(matches, false), " or "), errs.Opt("from", ""))
}

// readsFiles reports whether a format opens single files.
func readsFiles(f arrowio.Format) bool { return f.OpenPath == nil || f.Open != nil }

// matchesBytes reports whether a format recognises these first and last bytes.
func matchesBytes(f arrowio.Format, head, tail []byte) bool {
	return readsFiles(f) && f.Match != nil && f.Match(head, tail)
}

func byExtension(formats []arrowio.Format, name string) (arrowio.Format, bool) {
	base := strings.ToLower(path.Base(name))
	for _, f := range formats {
		if readsFiles(f) && slices.ContainsFunc(f.Extensions, func(ext string) bool { return strings.HasSuffix(base, ext) }) {
			return f, true
		}
	}
	return arrowio.Format{}, false
}

// names returns the names of all formats, or only of those that are recognised by content.
func names(formats []arrowio.Format, matching bool) []string {
	var out []string
	for _, f := range formats {
		if !matching || f.Match != nil {
			out = append(out, f.Name)
		}
	}
	return out
}

func extensions(formats []arrowio.Format) []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.Extensions...)
	}
	return out
}

// Lookup returns the format with this name. An unknown name is errs.ErrOption; the error lists the known names.
func Lookup(formats []arrowio.Format, name string) (arrowio.Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return arrowio.Format{}, errs.Errorf(errs.ErrOption, "unknown input format %q (known: %s)", name, strings.Join(names(formats, false), ", "))
}

// choose returns the format in which OpenSource opens src: the one that o names, or that knows src by what lies beside it, or
// else what Sniff says of src.
func choose(ctx context.Context, src arrowio.Source, name string, o Options) (arrowio.Format, error) {
	if o.Format != "" {
		f, err := Lookup(o.Formats, o.Format)
		if err == nil && !readsFiles(f) {
			err = errs.Errorf(errs.ErrOption, "%s is the format of a directory, not of a single file", f.Name)
		}
		return explained(f, o.Formats, true), err
	}
	for _, f := range o.Formats {
		if f.MatchBeside != nil && f.MatchBeside(ctx, src, name, o.stores().Open) {
			return f, nil
		}
	}
	if farread.Spans(src) {
		if f, ok := byTail(o.Formats, src, name); ok {
			return f, nil
		}
	}
	head, tail, err := readEnds(src)
	if err != nil {
		return arrowio.Format{}, err
	}
	return Sniff(o.Formats, head, tail, name)
}

// byTail returns the format of a file of a store whose last bytes are those of the format that its name says: the store gave them when the
// file was opened, and its first bytes would be another request.
func byTail(formats []arrowio.Format, src arrowio.Source, name string) (arrowio.Format, bool) {
	named, ok := byExtension(formats, name)
	if !ok || src.Size() < sniffBytes {
		return arrowio.Format{}, false
	}
	tail := make([]byte, sniffBytes)
	if n, _ := src.ReadAt(tail, src.Size()-sniffBytes); n < len(tail) {
		return arrowio.Format{}, false // readEnds says why
	}
	for _, f := range formats {
		if matchesBytes(f, nil, tail) != (f.Name == named.Name) {
			return arrowio.Format{}, false
		}
	}
	return named, true
}

func readEnds(src arrowio.Source) (head, tail []byte, err error) {
	n := min(src.Size(), sniffBytes)
	buf := make([]byte, 2*n)
	head, tail = buf[:n], buf[n:]
	for _, r := range []struct {
		dst []byte
		off int64
	}{{head, 0}, {tail, src.Size() - n}} {
		if k, err := src.ReadAt(r.dst, r.off); k < len(r.dst) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, nil, err
		}
	}
	return head, tail, nil
}

// explained returns f with another Open. If a source cannot be opened and does not look like a file of f, the error says so.
// given says that the caller named the format; otherwise the extension of name decided it.
func explained(f arrowio.Format, formats []arrowio.Format, given bool) arrowio.Format {
	if f.Open == nil {
		return f
	}
	open := f.Open
	f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		file, err := open(ctx, src, o)
		var e *errs.Error
		if err == nil || !errors.As(err, &e) || e.Kind != errs.ErrCorrupt && e.Kind != errs.ErrUnsupported {
			return file, err
		}
		head, tail, ends := readEnds(src)
		if ends != nil || matchesBytes(f, head, tail) {
			return nil, err
		}
		if packer := compressor(head); packer != "" && !readsPacked(f, packer) {
			return nil, errs.Errorf(errs.ErrUnsupported, "the whole file is compressed with %s, with which %s is not read; unpack it first (%w)", packer, f.Name, err)
		}
		if f.Match == nil {
			return nil, err
		}
		if n := src.Size(); n < tooShort {
			return nil, errs.Errorf(e.Kind, "%s: a write or a copy of it did not end; copy or write it again", hasBytes(n))
		}
		like := looksLike(formats, head, tail)
		if foreign := foreignFormat(head, tail); like == "" && foreign != "" {
			return nil, errs.Errorf(errs.ErrUnsupported, "this is %s, which is not read, and not %s (%w)", foreign, f.Name, err)
		}
		return nil, mismatch(e.Kind, err, f, like, path.Ext(o.Name), given)
	}
	return f
}

// tooShort is a size that no file has whose format has a signature.
const tooShort = 8

func hasBytes(n int64) string {
	switch n {
	case 0:
		return "the file has no bytes"
	case 1:
		return "the file has 1 byte only"
	}
	return fmt.Sprintf("the file has %d bytes only", n)
}

// looksLike returns the names of the formats that recognise these first and last bytes.
func looksLike(formats []arrowio.Format, head, tail []byte) string {
	var found []string
	for _, f := range formats {
		if matchesBytes(f, head, tail) {
			found = append(found, f.Name)
		}
	}
	return strings.Join(found, " or ")
}

func mismatch(kind errs.Kind, err error, f arrowio.Format, like, extension string, given bool) error {
	switch {
	case given && like != "":
		return errs.Errorf(kind, "the content is not %s but %s; leave out %w (%w)", f.Name, like, errs.Opt("from", f.Name), err)
	case given:
		return errs.Errorf(kind, "the content is not %s (%w)", f.Name, err)
	}
	return errs.Errorf(kind, "the extension is %s, but the content is not %s; name the format with %w (%w)", extension, f.Name, errs.Opt("from", ""), err)
}
