package cfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/options"
)

// perColumn is a value for all columns, and others for some.
type perColumn[T any] struct {
	all  T
	some map[string]T
}

func (p *perColumn[T]) of(column string) T {
	if v, ok := p.some[column]; ok {
		return v
	}
	return p.all
}

// parsePerColumn reads VALUE and COLUMN=VALUE, comma-separated; what is not given for all columns is def.
func parsePerColumn[T any](option, text string, s *arrow.Schema, def T, parse func(string) (T, bool), takes string) (perColumn[T], error) {
	p := perColumn[T]{all: def, some: map[string]T{}}
	if text == "" {
		return p, nil
	}
	all := false
	for item := range strings.SplitSeq(text, ",") {
		name, word, named := "", item, false
		if at := strings.LastIndexByte(item, '='); at >= 0 {
			name, word, named = item[:at], item[at+1:], true
		}
		v, ok := parse(word)
		_, twice := p.some[name]
		switch {
		case !ok:
			return p, errs.Errorf(errs.ErrOption, "%w: %q is not %s", errs.Opt(option, ""), word, takes)
		case named && !s.HasField(name):
			return p, errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt(option, ""), name)
		case named && twice:
			return p, errs.Errorf(errs.ErrOption, "%w: column %q is there twice", errs.Opt(option, ""), name)
		case !named && all:
			return p, errs.Errorf(errs.ErrOption, "%w: two values for all columns: %q", errs.Opt(option, ""), text)
		case named:
			p.some[name] = v
		default:
			p.all, all = v, true
		}
	}
	return p, nil
}

func parseEncoding(word string) (cfilewire.Encoding, bool) {
	word = strings.ReplaceAll(strings.ToLower(word), "bit_shuffle", cfilewire.EncodingBitShuffle.String())
	for e := cfilewire.EncodingAuto; e <= cfilewire.EncodingBitShuffle; e++ {
		if e.String() == word && e != cfilewire.EncodingGroupVarint {
			return e, true
		}
	}
	return 0, false
}

func parseCompression(word string) (cfilewire.Compression, bool) {
	for c := cfilewire.NoCompression; c <= cfilewire.Zlib; c++ {
		if c.String() == word {
			return c, true
		}
	}
	return 0, false
}

// mostBlockSize leaves room below what Kudu reads: blocks end behind the value that makes them too large.
const mostBlockSize = cfilewire.MaxRaw / 2

func parseBlockSize(word string) (int32, bool) {
	n, err := strconv.ParseInt(word, 10, 32)
	return int32(n), err == nil && n >= cfilewire.LeastBlockSize && n <= mostBlockSize
}

func parseLength(word string) (int32, bool) {
	n, err := strconv.ParseInt(word, 10, 32)
	return int32(n), err == nil && n >= 1 && n <= mostChars
}

func (set *settings) parseNotNull(option, text string, s *arrow.Schema) error {
	if text == "" {
		return nil
	}
	if set.allNotNull = text == "*"; set.allNotNull {
		return nil
	}
	set.notNull = map[string]bool{}
	for name := range strings.SplitSeq(text, ",") {
		if !s.HasField(name) {
			return errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt(option, ""), name)
		}
		set.notNull[name] = true
	}
	return nil
}

// codecs is what --compression takes.
const codecs = "one of none, snappy, lz4, zlib"

func parseSettings(format string, s *arrow.Schema, o arrowio.WriteOptions) (set settings, err error) {
	m, err := options.Check(knownOptions(format), o.Options)
	if err != nil {
		return set, err
	}
	given := func(name string) string { return o.Options[format+"-"+name] }
	set.encoding, err = parsePerColumn(format+"-encoding", given("encoding"), s, cfilewire.EncodingAuto, parseEncoding, "one of auto, plain, rle, bitshuffle, dict, prefix")
	if err != nil {
		return set, err
	}
	codec := cfilewire.NoCompression // Kudu's own default
	if o.Compression != "" {
		var ok bool
		if codec, ok = parseCompression(o.Compression); !ok {
			return set, errs.Errorf(errs.ErrOption, "compression %q is not %s; none has levels", o.Compression, codecs)
		}
	}
	set.compression, err = parsePerColumn(format+"-compression", given("compression"), s, codec, parseCompression, codecs)
	if err != nil {
		return set, err
	}
	set.blockSize, err = parsePerColumn(format+"-block-size", given("block-size"), s, 0, parseBlockSize, "a number from 512 to "+strconv.Itoa(mostBlockSize))
	if err != nil {
		return set, err
	}
	if err := set.parseNotNull(format+"-not-null", given("not-null"), s); err != nil {
		return set, err
	}
	if set.varchar, err = parsePerColumn(format+"-varchar", given("varchar"), s, 0, parseLength, "a length from 1 to "+strconv.Itoa(mostChars)); err != nil {
		return set, err
	}
	set.truncate = m[format+"-timestamps"] == "truncate"
	if text := given("index-block-size"); text != "" {
		size, ok := parseBlockSize(text)
		if !ok {
			return set, errs.Errorf(errs.ErrOption, "%w: %q is not a number from 512 to %d", errs.Opt(format+"-index-block-size", ""), text, mostBlockSize)
		}
		set.indexBlock = int(size)
	}
	if format != KuduName {
		switch name := given("key"); {
		case name == "":
		case s.HasField(name):
			set.ascending = name
		case name == "none":
			set.noIndex = true
		default:
			return set, errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt("cfile-key", ""), name)
		}
		return set, nil
	}
	set.table = o.Options["kudu-table"]
	if k := o.Options["kudu-key"]; k != "" {
		set.key = strings.Split(k, ",")
	}
	for i, name := range set.key {
		switch {
		case !s.HasField(name):
			return set, errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt("kudu-key", ""), name)
		case slices.Contains(set.key[:i], name):
			return set, errs.Errorf(errs.ErrOption, "%w: column %q is there twice", errs.Opt("kudu-key", ""), name)
		}
	}
	return set, nil
}
