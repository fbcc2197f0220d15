package icebergtable

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// Properties of tables about files (Iceberg's "Table properties"), those of a format without "write.orc." or "write.parquet.", or for delete
// files "write.delete.orc." or "write.delete.parquet.".
const (
	propFormat    = "write.format.default"
	propTarget    = "write.target-file-size-bytes"
	propCodec     = "compression-codec"
	propLevel     = "compression-level"
	propStripe    = "stripe-size-bytes"
	propGroup     = "row-group-size-bytes"
	propPageBytes = "page-size-bytes"
	propPageRows  = "page-row-limit"
	propStrategy  = "compression-strategy"
	propBlooms    = "bloom.filter.columns"
	propBloomFPP  = "bloom.filter.fpp"
	propBloom     = "bloom-filter-enabled.column."
	propColumnFPP = "bloom-filter-fpp.column."
)

const (
	formatORC     = "orc"
	defaultTarget = 512 << 20
	defaultStripe = 64 << 20
	defaultGroup  = 128 << 20
	leastGroup    = 64 << 10
	groupsPerFile = 4
)

// Options of the formats of files.
const (
	orcIceberg        = "orc-iceberg"
	orcBloom          = "orc-bloom"
	orcBloomFPP       = "orc-bloom-fpp"
	parquetBloom      = "parquet-bloom"
	parquetPageBytes  = "parquet-page-bytes"
	parquetPageRows   = "parquet-page-rows"
	leastParquetPage  = 1 << 10
	mostParquetPage   = 256 << 20
	defaultORCFPP     = "0.05" // where the table does not say; "write.orc.bloom.filter.fpp"
	defaultParquetFPP = 0.01
)

// propertyError is about a property of a table whose value is not known.
type propertyError struct{ error }

func (e *propertyError) Unwrap() error { return e.error }

func wrongProperty(format string, args ...any) error {
	return &propertyError{errs.Errorf(errs.ErrUnsupported, format, args...)}
}

// given returns the error of a property as one of the command line where it is of a new table. Otherwise it is one of the table's data.
func (t *Table) given(err error) error {
	var p *propertyError
	if !errors.As(err, &p) {
		return err
	}
	if t.base == nil {
		_, text := errs.Where(p.error)
		return errs.Errorf(errs.ErrOption, "%w: %s", errs.Opt(optionProperty, ""), strings.TrimPrefix(text, "the table's property "))
	}
	return errs.Locate(err, errs.At{File: t.name})
}

// props are the properties of the table, or of that which will be made.
func (t *Table) props() map[string]string {
	if t.base != nil {
		return t.base.meta.Props
	}
	return t.opt.props
}

// target is how many bytes a file should have.
func (t *Table) target() (int64, error) {
	if t.targetBytes > 0 {
		return t.targetBytes, nil
	}
	return fileProps{props: t.props()}.number(propTarget, defaultTarget)
}

// fileProps are the properties of a table for files of a format. Each is looked for with the prefixes, in their order.
type fileProps struct {
	props    map[string]string
	prefixes []string // nil = names are whole
}

// find returns a property, and its whole name; "" = there is none.
func (p fileProps) find(name string) (key, value string) {
	if p.prefixes == nil {
		return name, strings.TrimSpace(p.props[name])
	}
	for _, prefix := range p.prefixes {
		if v := strings.TrimSpace(p.props[prefix+name]); v != "" {
			return prefix + name, v
		}
	}
	return "", ""
}

// number returns a property that is a number of at least one.
func (p fileProps) number(name string, absent int64) (int64, error) {
	key, text := p.find(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, wrongProperty("the table's property %s is %.60q, which is no number of bytes or rows", key, text)
	}
	return n, nil
}

// share returns a property that is a number between 0 and 1.
func (p fileProps) share(name string) (float64, error) {
	key, text := p.find(name)
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 1) {
		return 0, wrongProperty("the table's property %s is %.60q, which is not between 0 and 1", key, text)
	}
	return x, nil
}

// fileOptions returns the options for a data file with some fields: those of o and of the format that were given, and what the table's
// properties say of others.
func (t *Table) fileOptions(f arrowio.OutputFormat, o arrowio.WriteOptions, fields []iceberg.Field) (arrowio.WriteOptions, error) {
	p := fileProps{t.props(), []string{"write." + f.Name + "."}}
	o.Options = map[string]string{}
	if err := p.blooms(f.Name, fields, o.Options); err != nil {
		return o, err
	}
	return t.tableFile(f, o, p, t.o.FileOptions[f.Name])
}

// deleteOptions returns the options for a file of position deletes.
func (t *Table) deleteOptions(f arrowio.OutputFormat, o arrowio.WriteOptions) (arrowio.WriteOptions, error) {
	p := fileProps{t.props(), []string{"write.delete." + f.Name + ".", "write." + f.Name + "."}}
	o.Options = map[string]string{}
	return t.tableFile(f, o, p, nil) // what is given is about the columns of data files
}

func (t *Table) tableFile(f arrowio.OutputFormat, o arrowio.WriteOptions, p fileProps, given map[string]string) (arrowio.WriteOptions, error) {
	name, group := propGroup, int64(defaultGroup)
	if f.Name == formatORC {
		name, group = propStripe, defaultStripe
		o.Options[orcIceberg] = "ids"
	} else if err := p.pages(o.Options); err != nil {
		return o, err
	}
	group, err := p.number(name, group)
	if err != nil {
		return o, err
	}
	target, err := t.target()
	if err != nil {
		return o, err
	}
	if o.RowGroupBytes == 0 {
		o.RowGroupBytes = max(leastGroup, min(group, target/groupsPerFile))
	}
	maps.Copy(o.Options, given)
	if o.Compression != "" {
		return o, nil
	}
	o.Compression, err = p.packing(f.Name)
	return o, err
}

// pages sets the sizes of pages of Parquet.
func (p fileProps) pages(o map[string]string) error {
	bytes, err := p.number(propPageBytes, 0)
	if err == nil && bytes > 0 {
		o[parquetPageBytes] = strconv.FormatInt(min(max(bytes, leastParquetPage), mostParquetPage), 10)
	}
	if err != nil {
		return err
	}
	rows, err := p.number(propPageRows, 0)
	if err == nil && rows > 0 {
		o[parquetPageRows] = strconv.FormatInt(rows, 10)
	}
	return err
}

// codecs are those that Iceberg names, in the words of writers.
var codecs = map[string]map[string]string{
	formatORC: {"zstd": "zstd", "snappy": "snappy", "lz4": "lz4", "zlib": "zlib", "none": "none"},
	"parquet": {
		"zstd": "zstd", "snappy": "snappy", "gzip": "gzip", "brotli": "brotli", "lz4_raw": "lz4", "uncompressed": "none",
		"lz4": "lz4", "none": "none", // which Iceberg's own writer does not know
	},
}

// packing returns the codec that the table names, in the words of writers; "" = the format's default.
func (p fileProps) packing(format string) (string, error) {
	key, name := p.find(propCodec)
	packed, known := codecs[format][strings.ToLower(name)]
	if name != "" && !known {
		return "", wrongProperty("the table's property %s is %.60q, which is not written: name another codec with %w", key, name, errs.Opt("compression", ""))
	}
	key, level := p.find(propLevel)
	if n, err := strconv.Atoi(level); err == nil {
		switch packed {
		case "zstd", "gzip", "brotli":
			return packed + ":" + strconv.Itoa(n), nil
		}
		return packed, nil // other codecs have none
	}
	if level != "" && level != "null" {
		return "", wrongProperty("the table's property %s is %.60q, which is no number", key, level)
	}
	if key, how := p.find(propStrategy); format == formatORC && how != "" {
		switch strings.ToLower(how) {
		case "speed":
		case "compression": // as Java's ORC has it
			if packed == "zlib" || packed == "" {
				return "zlib:6", nil
			}
		default:
			return "", wrongProperty("the table's property %s is %.60q, which is neither speed nor compression", key, how)
		}
	}
	return packed, nil
}

// blooms sets the columns with bloom filters. Columns that the table does not have, and those of types without such filters, are left out, as
// Iceberg's own writer does.
func (p fileProps) blooms(format string, fields []iceberg.Field, o map[string]string) error {
	if format == formatORC {
		_, text := p.find(propBlooms)
		fpp, err := p.share(propBloomFPP)
		if err != nil {
			return err
		}
		var columns []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); hashed(fields, name, true) {
				columns = append(columns, name)
			}
		}
		if len(columns) > 0 {
			o[orcBloom], o[orcBloomFPP] = strings.Join(columns, ","), defaultORCFPP
			if fpp > 0 {
				o[orcBloomFPP] = strconv.FormatFloat(fpp, 'g', -1, 64)
			}
		}
		return nil
	}
	var columns []string
	least := 1.0 // files have one rate for all columns
	for key, value := range p.props {
		name, ok := strings.CutPrefix(key, p.prefixes[0]+propBloom)
		if !ok || !strings.EqualFold(strings.TrimSpace(value), "true") || !hashed(fields, name, false) {
			continue
		}
		fpp, err := p.share(propColumnFPP + name)
		if err != nil {
			return err
		}
		if fpp == 0 {
			fpp = defaultParquetFPP
		}
		columns, least = append(columns, name), min(least, fpp)
	}
	if len(columns) > 0 {
		slices.Sort(columns)
		o[parquetBloom] = strings.Join(columns, ",") + ":" + strconv.FormatFloat(least, 'g', -1, 64)
	}
	return nil
}

// hashed reports whether a column outside of lists and maps can have a bloom filter. Names that are not plain are not named to writers.
func hashed(fields []iceberg.Field, path string, orc bool) bool {
	f := fieldAt(fields, path)
	if f == nil || strings.ContainsAny(path, ",:`\"*") {
		return false
	}
	switch f.Type.Kind {
	case iceberg.Struct, iceberg.List, iceberg.Map, iceberg.Unknown:
		return false
	case iceberg.Binary, iceberg.Fixed, iceberg.UUID:
		return !orc
	case iceberg.Boolean:
		return orc
	}
	return true
}
