package campaign

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/workers"
)

// Input is something sound to damage: a file, or a file in a directory that is read as a whole.
type Input struct {
	Name   string // of a file of testdata: its path below that, with "#PATH" for a file within a server's directories
	Bytes  []byte
	Format arrowio.Format

	dir     string // of a format that is a directory: where it lies
	file    string // and the file in it whose bytes these are
	options map[string]string
	schema  *arrow.Schema // that the reader is told of; nil = none

	rows    arrow.Record // what a sound read gives, on Go's heap
	regions []region
	filters []expr.Expr
}

// sizes of the inputs: small ones are read often.
const (
	mostBytes = 24 << 10
	mostRows  = 20_000
)

// formatOf returns the format of a name in formats.
func formatOf(formats []arrowio.Format, name string) (arrowio.Format, bool) {
	i := slices.IndexFunc(formats, func(f arrowio.Format) bool { return f.Name == name })
	if i < 0 {
		return arrowio.Format{}, false
	}
	return formats[i], true
}

// extensions tells the formats of files in testdata.
var extensions = map[string]string{
	".trv": "trevni", ".orc": "orc", ".cfile": "cfile", ".arrow": "ipc", ".arrows": "ipc-stream", ".parquet": "parquet", ".avro": "avro", ".csv": "csv", ".jsonl": "jsonl",
}

// LoadFiles returns the inputs below testdata that are sound and small, or those whose paths end in one of names.
// Damaged ones are left out.
func LoadFiles(ctx context.Context, testdata string, formats []arrowio.Format, names ...string) ([]*Input, error) {
	var inputs []*Input
	err := filepath.WalkDir(testdata, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "corrupt" || d.Name() == "interop") {
				return fs.SkipDir
			}
			return err
		}
		f, ok := formatOf(formats, extensions[filepath.Ext(path)])
		fi, err := d.Info()
		switch {
		case err != nil || !ok:
			return err
		case len(names) > 0:
			if !slices.ContainsFunc(names, func(end string) bool { return strings.HasSuffix(path, end) }) {
				return nil
			}
		case fi.Size() > mostBytes:
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(testdata, path)
		if err != nil {
			return err
		}
		in := &Input{Name: filepath.ToSlash(name), Bytes: b, Format: f}
		if in.prepare(ctx) == nil {
			inputs = append(inputs, in)
		}
		return nil
	})
	return inputs, err
}

// prepare reads the sound input. An error says that it is of no use here.
func (in *Input) prepare(ctx context.Context) error {
	return workers.Catch(func() error { return in.readSound(ctx) })
}

func (in *Input) readSound(ctx context.Context) error {
	c := newCase(in, in.Bytes)
	f, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	rec, err := c.scan(ctx, f, nil)
	if err != nil {
		return err
	}
	in.rows = rec
	in.regions = regionsOf(ctx, in, f)
	in.filters = filtersOf(rand.New(rand.NewSource(int64(len(in.Bytes)))), rec)
	return nil
}

// regionsOf returns the blocks of a file, and its beginning and end.
func regionsOf(ctx context.Context, in *Input, f arrowio.File) []region {
	size := int64(len(in.Bytes))
	out := []region{{len: min(size, 64)}, {off: max(0, size-64), len: min(size, 64)}}
	if in.dir != "" {
		return out
	}
	info, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true})
	if err != nil {
		return out
	}
	if n := footerOf(in); n > 0 && n+16 <= size {
		out = append(out, region{off: size - 12 - n, len: n, sum: "footer"})
	}
	for _, c := range info.Columns {
		for _, b := range c.BlockList {
			if b.Off < 0 || b.Bytes <= 0 || b.Off+b.Bytes > size {
				continue
			}
			r := region{off: b.Off, len: b.Bytes}
			switch {
			case in.Format.Name == "cfile" && b.Bytes > 4 && castagnoli(in.Bytes[b.Off:][:b.Bytes-4]) == le32(in.Bytes[b.Off+b.Bytes-4:]):
				r.len, r.sum = b.Bytes-4, "crc32c"
			case in.Format.Name == "trevni" && c.Codec == "null" && c.Checksum == "crc32":
				r.sum = "crc32"
			}
			out = append(out, r)
		}
	}
	return slices.DeleteFunc(out, func(r region) bool { return r.len <= 0 })
}

// footerOf returns the length of a CFile's footer message.
func footerOf(in *Input) int64 {
	if n := len(in.Bytes); in.Format.Name == "cfile" && n > 12 {
		return int64(le32(in.Bytes[n-4:]))
	}
	return 0
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// filtersOf makes conditions from values that are there.
func filtersOf(rng *rand.Rand, rec arrow.Record) []expr.Expr {
	var out []expr.Expr
	if rec == nil {
		return nil
	}
	for i, f := range rec.Schema().Fields() {
		if len(rec.Schema().FieldIndices(f.Name)) != 1 || len(out) > 24 {
			continue
		}
		col, name := rec.Column(i), expr.Quote(f.Name)
		out = append(out, expr.IsNull{Col: name})
		for range 3 {
			row := rng.Intn(col.Len())
			if _, nested := col.DataType().(arrow.NestedType); nested || col.IsNull(row) {
				continue
			}
			v, err := scalar.GetScalar(col, row)
			if err != nil || !v.IsValid() {
				continue
			}
			for _, op := range []expr.Op{expr.Eq, expr.Lt, expr.Ge} {
				e := expr.Compare{Col: name, Op: op, Value: v}
				if _, err := expr.Bind(e, rec.Schema()); err == nil {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// LoadServer unpacks the directories of a Kudu server (a .tar.gz) below scratch, and returns an input for each file of it.
func LoadServer(ctx context.Context, archive, name, table, scratch string, formats []arrowio.Format) ([]*Input, error) {
	f, ok := formatOf(formats, "kudu")
	if !ok {
		return nil, errors.New("no format kudu")
	}
	if err := unpack(archive, scratch); err != nil {
		return nil, err
	}
	base := &Input{Name: name, Format: f, dir: scratch, options: map[string]string{"kudu-table": table}}
	if err := base.prepare(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	var inputs []*Input
	err := filepath.WalkDir(scratch, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			return err
		}
		in := *base
		in.file, in.Bytes = path, b
		in.Name = name + "#" + strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(scratch)+"/")
		in.regions = []region{{len: min(64, int64(len(b)))}}
		inputs = append(inputs, &in)
		return nil
	})
	return inputs, err
}

// unpack writes the files of a .tar.gz of our own below dir.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("%s: %q lies outside", archive, h.Name)
		}
		path := filepath.Join(dir, h.Name)
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(path, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = extract(path, t)
		}
		if err != nil {
			return err
		}
	}
}

func extract(path string, r io.Reader) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return errors.Join(err, out.Close())
}

// release gives a record back that may be nil.
func release(rec arrow.Record) {
	if rec != nil {
		rec.Release()
	}
}
