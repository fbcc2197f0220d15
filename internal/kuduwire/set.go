package kuduwire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// SetFileName is the name of the file that describes a set of rowsets, in the directory of their files or the one above.
const SetFileName = "schema.json"

const (
	setFormat  = "kudu-set"
	setVersion = 1
)

// Set describes rowsets of one table that no server has: what schema.json says (docs/formats/kudu.md, "Sets"). A set
// without a key is a set of columns.
type Set struct {
	Writer  string // what has written it
	Table   string // name of the table that the rows are from; "" = not known
	Schema  Schema // key columns first, ids unique; without defaults
	RowSets []SetRowSet
	// Metadata is that of the Arrow schema, and ColumnMetadata that of each column, as far as nothing else here says it.
	Metadata       []SetMeta
	ColumnMetadata [][]SetMeta // as long as Schema.Columns; nil = no column has any
}

// SetMeta is a key and its value, any bytes.
type SetMeta struct {
	Key   string
	Value []byte
}

// SetRowSet is a rowset of a set: files of the same number of rows.
type SetRowSet struct {
	Rows    int64
	Columns []SetFile // of each column of the schema, in its order
	Keys    *SetFile  // the encoded keys, where the key has several columns
	Bloom   *SetFile  // their bloom filters, where there is a key
	MinKey  []byte    // encoded; nil without rows or key
	MaxKey  []byte
}

// SetFile is a file of a set.
type SetFile struct {
	Name  string // slash-separated, below the directory of schema.json
	Bytes int64
}

// setJSON and what follows are the text. Fields that are not known are passed over.
type setJSON struct {
	Format  string       `json:"format"`
	Version int          `json:"version"`
	Writer  string       `json:"writer,omitempty"`
	Table   string       `json:"table,omitempty"`
	Columns []columnJSON `json:"columns"`
	RowSets []rowSetJSON `json:"rowsets"`
	Meta    []metaJSON   `json:"metadata,omitempty"`
}

// metaJSON has a value as text or, where that is not UTF-8, in hexadecimal.
type metaJSON struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Hex   string `json:"hex,omitempty"`
}

func toMetaJSON(m []SetMeta) (out []metaJSON) {
	for _, kv := range m {
		j := metaJSON{Key: kv.Key, Value: string(kv.Value)}
		if !utf8.Valid(kv.Value) {
			j.Value, j.Hex = "", hex.EncodeToString(kv.Value)
		}
		out = append(out, j)
	}
	return out
}

func fromMetaJSON(m []metaJSON) (out []SetMeta, err error) {
	for _, j := range m {
		v := []byte(j.Value)
		if j.Hex != "" {
			if v, err = hex.DecodeString(j.Hex); err != nil {
				return nil, errs.Errorf(errs.ErrCorrupt, "metadata %q: %w", j.Key, err)
			}
		}
		out = append(out, SetMeta{j.Key, v})
	}
	return out, nil
}

type columnJSON struct {
	ID          int32  `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Precision   int32  `json:"precision,omitempty"`
	Scale       int32  `json:"scale,omitempty"`
	Length      int32  `json:"length,omitempty"`
	Key         bool   `json:"key,omitempty"`
	Nullable    bool   `json:"nullable,omitempty"`
	Encoding    string `json:"encoding"`
	Compression string `json:"compression"`
	BlockSize   int32  `json:"block_size,omitempty"`
	Comment     string `json:"comment,omitempty"`

	Meta []metaJSON `json:"metadata,omitempty"`
}

type rowSetJSON struct {
	Rows    int64      `json:"rows"`
	Columns []fileJSON `json:"columns"`
	Keys    *fileJSON  `json:"key_index,omitempty"`
	Bloom   *fileJSON  `json:"bloom,omitempty"`
	MinKey  string     `json:"min_key,omitempty"` // hexadecimal
	MaxKey  string     `json:"max_key,omitempty"`
}

type fileJSON struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// Text returns schema.json.
func (s *Set) Text() ([]byte, error) {
	j := setJSON{Format: setFormat, Version: setVersion, Writer: s.Writer, Table: s.Table, Columns: []columnJSON{}, RowSets: []rowSetJSON{}, Meta: toMetaJSON(s.Metadata)}
	for i := range s.Schema.Columns {
		c := &s.Schema.Columns[i]
		j.Columns = append(j.Columns, columnJSON{
			ID: c.ID, Name: c.Name, Type: c.Type.String(), Precision: c.Precision, Scale: c.Scale, Length: c.Length,
			Key: c.Key, Nullable: c.Nullable, Encoding: c.Encoding.String(), Compression: c.Compression.String(),
			BlockSize: c.BlockSize, Comment: c.Comment,
		})
		if i < len(s.ColumnMetadata) {
			j.Columns[i].Meta = toMetaJSON(s.ColumnMetadata[i])
		}
	}
	for i := range s.RowSets {
		r := &s.RowSets[i]
		out := rowSetJSON{Rows: r.Rows, Columns: []fileJSON{}, Keys: toFileJSON(r.Keys), Bloom: toFileJSON(r.Bloom)}
		for i := range r.Columns {
			out.Columns = append(out.Columns, *toFileJSON(&r.Columns[i]))
		}
		out.MinKey, out.MaxKey = hex.EncodeToString(r.MinKey), hex.EncodeToString(r.MaxKey)
		j.RowSets = append(j.RowSets, out)
	}
	b, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return append(b, '\n'), nil
}

func toFileJSON(f *SetFile) *fileJSON {
	if f == nil {
		return nil
	}
	return &fileJSON{File: f.Name, Bytes: f.Bytes}
}

// IsSet reports whether a text begins as that of a set does.
func IsSet(head []byte) bool {
	d := json.NewDecoder(bytes.NewReader(head))
	for _, want := range []any{json.Delim('{'), "format", setFormat} {
		if t, err := d.Token(); err != nil || t != want {
			return false
		}
	}
	return true
}

// ParseSet reads schema.json. It checks the schema as ParseSchema does, that every rowset has a file for each column and
// those that its key needs, and that no name leads out of the directory or is used twice. A text that is not of a set is
// ErrUnsupported.
func ParseSet(b []byte, lim errs.Limits) (*Set, error) {
	s, err := parseSet(b, lim.WithDefaults())
	if err != nil {
		return nil, place(err, SetFileName, -1)
	}
	return s, nil
}

func parseSet(b []byte, lim errs.Limits) (*Set, error) {
	if int64(len(b)) > lim.MetadataBytes {
		return nil, errs.Errorf(errs.ErrLimit, "%d bytes, over the limit of %d (MetadataBytes)", len(b), lim.MetadataBytes)
	}
	var j setJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return nil, errs.Errorf(errs.ErrCorrupt, "%w", err)
	}
	if j.Format != setFormat || j.Version != setVersion {
		return nil, errs.Errorf(errs.ErrUnsupported, "format %q, version %d; this reader knows %q, version %d", j.Format, j.Version, setFormat, setVersion)
	}
	if len(j.Columns) > lim.Columns {
		return nil, errs.Errorf(errs.ErrLimit, "%d columns, over the limit of %d (Columns)", len(j.Columns), lim.Columns)
	}
	s := &Set{Writer: j.Writer, Table: j.Table}
	var err error
	if s.Metadata, err = fromMetaJSON(j.Meta); err != nil {
		return nil, err
	}
	for i := range j.Columns {
		c, err := j.Columns[i].column()
		var meta []SetMeta
		if err == nil {
			meta, err = fromMetaJSON(j.Columns[i].Meta)
		}
		if err != nil {
			return nil, pb.Inside(err, "column %d", i)
		}
		if meta != nil && s.ColumnMetadata == nil {
			s.ColumnMetadata = make([][]SetMeta, len(j.Columns))
		}
		if meta != nil {
			s.ColumnMetadata[i] = meta
		}
		s.Schema.Columns = append(s.Schema.Columns, c)
	}
	if err := s.Schema.check(); err != nil {
		return nil, err
	}
	used := map[string]struct{}{SetFileName: {}}
	for i := range j.RowSets {
		r, err := j.RowSets[i].rowSet(&s.Schema, used)
		if err != nil {
			return nil, pb.Inside(err, "rowset %d", i)
		}
		s.RowSets = append(s.RowSets, r)
	}
	return s, nil
}

func (j *columnJSON) column() (Column, error) {
	c := Column{
		ID: j.ID, HasID: true, Name: j.Name, Precision: j.Precision, Scale: j.Scale, Length: j.Length,
		Key: j.Key, Nullable: j.Nullable, BlockSize: j.BlockSize, Comment: j.Comment,
	}
	var ok [3]bool
	c.Type, ok[0] = word(j.Type, cfilewire.UInt8, cfilewire.Date)
	c.Encoding, ok[1] = word(j.Encoding, cfilewire.EncodingAuto, cfilewire.EncodingBitShuffle)
	c.Compression, ok[2] = word(j.Compression, cfilewire.DefaultCompression, cfilewire.Zlib)
	switch {
	case j.Name == "":
		return c, errs.Errorf(errs.ErrCorrupt, "no name")
	case !ok[0] || c.Type == cfilewire.IsDeleted:
		return c, errs.Errorf(errs.ErrUnsupported, "column %q has the type %q, which is not known", j.Name, j.Type)
	case !ok[1]:
		return c, errs.Errorf(errs.ErrUnsupported, "column %q has the encoding %q, which is not known", j.Name, j.Encoding)
	case !ok[2]:
		return c, errs.Errorf(errs.ErrUnsupported, "column %q has the compression %q, which is not known", j.Name, j.Compression)
	}
	return c, c.check()
}

// word returns the value from first to last whose word is text.
func word[T interface {
	~uint32
	String() string
}](text string, first, last T) (T, bool) {
	for v := first; v <= last; v++ {
		if v.String() == text {
			return v, true
		}
	}
	return first, false
}

func (j *rowSetJSON) rowSet(s *Schema, used map[string]struct{}) (r SetRowSet, err error) {
	r.Rows = j.Rows
	keys := s.Keys()
	switch {
	case j.Rows < 0 || j.Rows > 1<<32:
		return r, errs.Errorf(errs.ErrCorrupt, "%d rows", j.Rows)
	case len(j.Columns) != len(s.Columns):
		return r, errs.Errorf(errs.ErrCorrupt, "%d files for %d columns", len(j.Columns), len(s.Columns))
	case (j.Keys != nil) != (keys > 1):
		return r, errs.Errorf(errs.ErrCorrupt, "a key of %d columns, and a key index: %t", keys, j.Keys != nil)
	case (j.Bloom != nil) != (keys > 0):
		return r, errs.Errorf(errs.ErrCorrupt, "a key of %d columns, and bloom filters: %t", keys, j.Bloom != nil)
	}
	for i := range j.Columns {
		f, err := j.Columns[i].file(used)
		if err != nil {
			return r, err
		}
		r.Columns = append(r.Columns, f)
	}
	for _, x := range []struct {
		from *fileJSON
		to   **SetFile
	}{{j.Keys, &r.Keys}, {j.Bloom, &r.Bloom}} {
		if x.from == nil {
			continue
		}
		f, err := x.from.file(used)
		if err != nil {
			return r, err
		}
		*x.to = &f
	}
	for _, x := range []struct {
		from string
		to   *[]byte
	}{{j.MinKey, &r.MinKey}, {j.MaxKey, &r.MaxKey}} {
		if x.from == "" {
			continue
		}
		if *x.to, err = hex.DecodeString(x.from); err != nil {
			return r, errs.Errorf(errs.ErrCorrupt, "key %q: %w", x.from, err)
		}
	}
	return r, nil
}

func (j *fileJSON) file(used map[string]struct{}) (SetFile, error) {
	f := SetFile{Name: j.File, Bytes: j.Bytes}
	hidden := slices.ContainsFunc(strings.Split(j.File, "/"), func(s string) bool { return s == "" || s[0] == '.' })
	if path.Clean(j.File) != j.File || hidden || strings.ContainsAny(j.File, "\\\x00:") || j.Bytes < 0 {
		return f, errs.Errorf(errs.ErrCorrupt, "no file of a set: %q, %d bytes", j.File, j.Bytes)
	}
	if _, ok := used[j.File]; ok {
		return f, errs.Errorf(errs.ErrCorrupt, "%q is named twice", j.File)
	}
	used[j.File] = struct{}{}
	return f, nil
}
