package csv

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

const optionNames = "csv-names"

var known = []arrowio.Option{
	{Name: "csv-header", Usage: "whether the first line names the columns", Default: "true", Values: []string{"true", "false"}},
	{Name: optionNames, Usage: "names of the columns: those in the header, or f0, f1 and so on by position", Default: "header", Values: []string{"header", "position"}, Remote: true},
	{Name: "csv-delimiter", Usage: "one character, or tab", Default: ","},
	{Name: "csv-null", Usage: "spellings of null outside quotes, separated by commas; the empty field is one only if listed", Default: ""},
	{Name: "csv-types", Usage: "types of the columns: infer, or utf8 for all", Default: "infer", Values: []string{"infer", "utf8"}, Remote: true},
	{Name: "csv-sample", Usage: "rows from which types are inferred, or all", Default: "10000"},
}

// Format returns the format "csv". Only the extension .csv identifies it: CSV has no signature.
func Format() arrowio.Format {
	return arrowio.Format{
		Name:       "csv",
		Extensions: []string{".csv", ".csv.gz", ".csv.zst", ".csv.bz2"},
		Options:    slices.Clone(known),
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := open(ctx, src, o)
			if err != nil {
				return nil, locate(err)
			}
			return f, nil
		},
	}
}

func locate(err error) error {
	return errs.Locate(err, errs.At{Format: "csv"})
}

func lineName(n int64) string { return "line " + strconv.FormatInt(n, 10) }

// settings are the options, read.
type settings struct {
	header bool
	named  bool // columns have the names of the header
	delim  byte
	nulls  []string
	infer  bool
	sample int64 // rows
}

func readSettings(o arrowio.OpenOptions) (s settings, err error) {
	v, err := options.Check(known, o.Options)
	if err != nil {
		return s, err
	}
	s.header, s.infer = v["csv-header"] == "true", v["csv-types"] == "infer"
	s.named = s.header && v[optionNames] == "header"
	s.nulls = strings.Split(v["csv-null"], ",")
	if s.delim, err = options.Delimiter("csv-delimiter", v["csv-delimiter"]); err != nil {
		return s, err
	}
	if s.sample, err = options.Rows("csv-sample", v["csv-sample"]); err != nil {
		return s, err
	}
	return s, nil
}

// isNull reports whether a field is null in a column of a type that has empty values, or of another.
func (s *settings) isNull(empty bool, v []byte, quoted bool) bool {
	if len(v) == 0 && !empty {
		return true
	}
	return !quoted && s.spellsNull(v)
}

func (s *settings) spellsNull(v []byte) bool {
	for _, n := range s.nulls {
		if string(v) == n {
			return true
		}
	}
	return false
}

// file is a CSV file. It is never changed after open.
type file struct {
	recordsplit.TextFile
	limits   arrowio.Limits
	set      settings
	kinds    []kind
	sampled  int64
	possible []inferred.Types // that hold what was seen of each column
	told     []teller         // who says the type of each column; nil = inference does
}

func open(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (*file, error) {
	text, err := recordsplit.OpenText(src)
	if err != nil {
		return nil, err
	}
	f := &file{TextFile: text, limits: o.Limits.WithDefaults()}
	if f.set, err = readSettings(o); err != nil {
		return nil, err
	}
	s := f.scanner()
	names, err := f.names(s)
	if err != nil {
		return nil, err
	}
	if len(names) > f.limits.Columns {
		return nil, errs.Errorf(errs.ErrLimit, "%d columns (Limits.Columns)", len(names))
	}
	guesses := make([]guess, len(names))
	if f.set.infer {
		if err := f.infer(ctx, s, guesses); err != nil {
			return nil, err
		}
	}
	fields := make([]arrow.Field, len(names))
	f.kinds, f.possible = make([]kind, len(names)), make([]inferred.Types, len(names))
	for i, n := range names {
		f.kinds[i], f.possible[i] = guesses[i].kind(), guesses[i].possible()
		if !f.set.infer {
			f.possible[i] = inferred.Text
		}
		fields[i] = arrow.Field{Name: n, Type: types[f.kinds[i]], Nullable: true}
	}
	f.Fields = arrow.NewSchema(fields, nil)
	return f, nil
}

func (f *file) scanner() *scanner {
	return newScanner(f.Reader(), f.set.delim, f.limits.ValueBytes)
}

// names reads the header, or the first record for the number of its fields. s is then in front of the first row, or
// with no header in front of the second, which makes no difference to what names or types there are.
func (f *file) names(s *scanner) ([]string, error) {
	if f.Src.Size() >= 2 {
		bom, err := f.begin()
		if err != nil {
			return nil, err
		}
		if bom == [2]byte{0xFF, 0xFE} || bom == [2]byte{0xFE, 0xFF} {
			return nil, errs.Errorf(errs.ErrUnsupported, "the text is UTF-16; convert it to UTF-8 first")
		}
	}
	err := s.next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if f.set.header && s.blank() { // of a file with one line end and nothing else there is no column
		alone := f.scanner()
		if err := alone.next(); err != nil {
			return nil, err
		}
		if err := alone.next(); err != io.EOF {
			return nameRest(make([]string, 1)), err
		}
		return nil, nil
	}
	names := make([]string, s.numFields())
	if f.set.named {
		for i := range names {
			v, _ := s.field(i)
			if !bitpack.UTF8(v) {
				return nil, s.corrupt(s.start, "the name of column %d is not UTF-8: %.40q", i+1, v)
			}
			names[i] = string(v)
		}
	}
	return nameRest(names), nil
}

// begin returns the first two bytes of the text.
func (f *file) begin() (b [2]byte, err error) {
	r := f.Reader()
	for n := 0; n < len(b) && err == nil; {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// infer narrows the guesses by the rows of the sample.
func (f *file) infer(ctx context.Context, s *scanner, guesses []guess) error {
	if !f.set.header && len(guesses) > 0 { // the first record is a row
		f.see(s, guesses)
	}
	for f.sampled < f.set.sample {
		if f.sampled&0xFFF == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := s.next()
		if err == io.EOF {
			return nil
		}
		if err == nil && s.numFields() != len(guesses) {
			if s.blank() {
				continue
			}
			err = miscounted(s, len(guesses))
		}
		if err != nil {
			return err
		}
		f.see(s, guesses)
	}
	return nil
}

func (f *file) see(s *scanner, guesses []guess) {
	f.sampled++
	for i := range guesses {
		if v, quoted := s.field(i); len(v) > 0 && (quoted || !f.set.spellsNull(v)) {
			guesses[i].see(v)
		} else if quoted {
			guesses[i].see([]byte{'"'}) // an empty string in quotes is text
		}
	}
}

func miscounted(s *scanner, want int) error {
	return s.corrupt(s.start, "the number of fields is %d, but that of columns is %d", s.numFields(), want)
}

// Info implements arrowio.File.
func (f *file) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := f.Describe("csv", "text")
	if f.set.infer {
		info.Notes = append(info.Notes, inferred.Note(f.sampled))
	}
	return info, nil
}

// Read implements arrowio.File. The reader reads from the source as it goes, until ctx is done.
func (f *file) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &rows{f: f, s: f.scanner()}
	if f.set.header {
		if err := r.s.next(); err != nil && !errors.Is(err, io.EOF) {
			return nil, locate(err)
		}
	}
	src := &recordsplit.Rows{Ctx: ctx, Projection: p, Format: "csv", Builders: r.build(p, mem), Parse: r.parse}
	return recordsplit.New(src, p.Schema, mem), nil
}
