package orc

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/salvage"
)

// Name is the format's name.
const Name = "orc"

const (
	optionMicroseconds = "orc-microseconds"
	optionFiner        = "orc-finer-digits"
	optionDecimal      = "orc-decimal"
)

// Options are the options of this format. The zero value is the default of each.
type Options struct {
	// Timezone is the zone of stripes that do not name the one they were written in (Hive before 1.2, PrestoDB); "" = UTC.
	Timezone string
	// Calendar is "hybrid" or "proleptic": the calendar of stored times before 1582-10-15; "" = as the file, its writer and its
	// attributes say.
	Calendar string
	// BinaryStrings shows string, varchar and char as binary, for files whose text is not UTF-8.
	BinaryStrings bool
	// KeepPadding keeps the blanks at the end of char values.
	KeepPadding bool
	// NullKeys shows maps as lists of key and value, whose keys may be null; otherwise a null key is an error.
	NullKeys bool
	// Decimal is what decimals without precision, which Hive 0.11 wrote, are shown as; zero = decimal(38, 10).
	Decimal Digits
	// Keys are the master keys of encrypted columns. Columns whose key is missing show the masked values that the writer stored.
	Keys Keys
	// Unit is the unit of timestamps; nil = nanoseconds. In a coarser one values are truncated towards the past.
	Unit *arrow.TimeUnit
	// Microseconds lists paths of columns that are read in microseconds although Unit is nanoseconds. Paths that the file does
	// not have are ignored. See File.BeyondNanoseconds.
	Microseconds []string
	// RefuseFiner makes digits finer than microseconds in the columns of Microseconds an error; otherwise they are cut off.
	RefuseFiner bool
	// Dictionary keeps the dictionaries of strings: dictionary<int32, utf8> in place of utf8.
	Dictionary bool
	// Salvage is "rows" or "columns": what becomes of damaged rows when the Format opens a file; "" = damage is an error. Open
	// ignores it.
	Salvage string
}

// Digits are the precision, of 1 to 38, and the scale of decimals.
type Digits struct{ Precision, Scale int32 }

// Format returns the ORC reader.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       Name,
		Extensions: []string{".orc"}, // an empty file is an empty table
		Options: []arrowio.Option{
			{Name: "orc-timezone", Usage: "time zone of timestamps in stripes that name none", Default: "UTC"},
			{Name: "orc-calendar", Usage: "calendar of dates and timestamps before 1582-10-15", Default: "what the file says", Values: []string{"hybrid", "proleptic"}, Remote: true},
			{Name: "orc-strings", Usage: "show strings as utf8 or, where they are not UTF-8, as binary", Default: "utf8", Values: []string{"utf8", "binary"}, Remote: true},
			{Name: "orc-char-padding", Usage: "blanks at the end of char values", Default: "strip", Values: []string{"strip", "keep"}, Remote: true},
			{Name: optionDecimal, Usage: "PRECISION,SCALE of decimals in files of Hive 0.11, which do not tell them", Default: "38,10", Remote: true},
			{Name: "orc-null-keys", Usage: "null keys of maps: an error, or maps shown as lists of structs", Default: "error", Values: []string{"error", "list"}, Remote: true},
			{Name: "orc-keys", Usage: "master keys of encrypted columns, a file of JSON: {\"NAME\": {\"version\": 0, \"algorithm\": \"AES_CTR_128\", \"key\": \"hex\"}}", Default: "none: masked values", Files: true},
			{Name: "orc-by", Usage: "how columns of several files are matched with each other, or with --schema; name-any-case needs --schema", Default: "name", Values: []string{"name", "name-any-case", "position"}},
			{Name: "timestamp-unit", Usage: "unit of timestamps", Default: "ns", Values: []string{"ns", "us", "ms", "s"}, Remote: true},
			{Name: optionMicroseconds, Usage: "a column whose timestamps are in microseconds where those of others are in nanoseconds", Repeated: true},
			{Name: optionFiner, Usage: "digits finer than the microseconds of --" + optionMicroseconds, Default: "cut", Values: []string{"cut", "error"}},
			{Name: "dictionary", Usage: "keep dictionaries: strings become dictionary<int32, utf8>", Default: "false", Values: []string{"true", "false"}, Remote: true},
			salvage.Options(),
		},
		Match:    Match,
		Finished: Finished,
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			opt, err := ParseOptions(o.Options)
			if err != nil {
				return nil, err
			}
			opt = opt.Under(o, o.Microseconds())
			mode, err := salvage.Parse(opt.Salvage)
			if err != nil {
				return nil, err
			}
			f, err := Open(ctx, src, o.Limits, opt)
			switch {
			case err == nil:
			case o.For != arrowio.ForRows || !errors.Is(err, errs.ErrCorrupt):
				return nil, err
			case mode == salvage.Off:
				return nil, hint(ctx, src, err)
			default:
				f, err = openTailless(ctx, src, o.Limits, opt, o.Schema, err)
			}
			if err != nil {
				return nil, err // not a File that is a nil *File
			}
			if mode != salvage.Off && o.For == arrowio.ForRows {
				return f.salvage(ctx, src, mode)
			}
			f.hints = o.For == arrowio.ForRows
			return f, nil
		},
	}
}

// Match reports whether a file with these first and last bytes is ORC: it has the magic at its start or, if that is damaged, at
// the end of its postscript.
func Match(head, tail []byte) bool {
	magic := []byte("ORC")
	return bytes.HasPrefix(head, magic) || len(tail) > 4 && bytes.Equal(tail[len(tail)-4:len(tail)-1], magic)
}

// hint is salvage.Hint for a file that begins or ends as ORC files do: in other files there is most likely nothing to save.
func hint(ctx context.Context, src arrowio.Source, err error) error {
	n := min(src.Size(), 5)
	ends, failed := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Len: n}, {Off: src.Size() - n, Len: n}})
	if failed != nil || !Match(ends[0], ends[1]) {
		return err
	}
	return salvage.Hint(err)
}

// Under returns o for a file that is opened with `with`, and in which these columns are to be read in microseconds. Unless an option says
// otherwise, finer digits are an error.
func (o Options) Under(with arrowio.OpenOptions, microseconds []string) Options {
	if o.Unit == nil && len(microseconds) > 0 {
		o.Microseconds = slices.Concat(o.Microseconds, microseconds)
		o.RefuseFiner = with.Options[optionFiner] != "cut"
	}
	return o
}

// ParseOptions parses the options of this format, whose names Format lists.
func ParseOptions(m map[string]string) (Options, error) {
	o := Options{Timezone: m["orc-timezone"], Calendar: m["orc-calendar"]}
	for _, w := range []struct {
		name  string
		words []string // the default first
	}{
		{"orc-calendar", []string{"", "hybrid", "proleptic"}},
		{"orc-strings", []string{"utf8", "binary"}},
		{"orc-char-padding", []string{"strip", "keep"}},
		{"orc-null-keys", []string{"error", "list"}},
		{"orc-by", []string{"name", "name-any-case", "position"}},
		{"timestamp-unit", []string{"ns", "us", "ms", "s"}},
		{"dictionary", []string{"false", "true"}},
		{salvage.Option, []string{"", "rows", "columns"}},
	} {
		if v := m[w.name]; v != "" && !slices.Contains(w.words, v) {
			words := slices.DeleteFunc(w.words, func(s string) bool { return s == "" })
			return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes %s", errs.Opt(w.name, ""), v, strings.Join(words, ", "))
		}
	}
	o.Salvage = m[salvage.Option]
	o.BinaryStrings = m["orc-strings"] == "binary"
	o.KeepPadding = m["orc-char-padding"] == "keep"
	o.NullKeys = m["orc-null-keys"] == "list"
	o.Dictionary = m["dictionary"] == "true"
	if s := m[optionDecimal]; s != "" {
		if !strings.Contains(s, ",") { // a scale of 0 is not what most mean
			return o, errs.Errorf(errs.ErrOption, "%w is %q; it takes PRECISION,SCALE, as in 18,4", errs.Opt(optionDecimal, ""), s)
		}
		var err error
		if o.Decimal.Precision, o.Decimal.Scale, err = options.Decimal(optionDecimal, s); err != nil {
			return o, err
		}
	}
	if u := m["timestamp-unit"]; u != "" {
		unit := map[string]arrow.TimeUnit{"ns": arrow.Nanosecond, "us": arrow.Microsecond, "ms": arrow.Millisecond, "s": arrow.Second}[u]
		o.Unit = &unit
	}
	if v := m[optionMicroseconds]; v != "" {
		o.Microseconds = strings.Split(v, "\n")
	}
	o.RefuseFiner = m[optionFiner] == "error"
	if k := m["orc-keys"]; k != "" {
		var err error
		if o.Keys, err = loadKeys(k); err != nil {
			return o, err
		}
	}
	return o, nil
}
