//go:build interop

package cfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// sampleColumn is a column of a set that is to be judged.
type sampleColumn struct {
	name, encoding, codec string
	block, index          int // bytes of blocks of values and of the index; 0 = the default
	kind                  kuduType
	values                arrow.Array
	nullable              bool
}

// facts are what the footer must say.
func (c *sampleColumn) facts() string {
	encoding := map[string]string{"plain": "PLAIN_ENCODING", "prefix": "PREFIX_ENCODING", "dict": "DICT_ENCODING", "rle": "RLE", "bitshuffle": "BIT_SHUFFLE"}[c.encoding]
	codec := strings.ToUpper(strings.ReplaceAll(c.codec, "none", "no_compression"))
	return fmt.Sprintf("%s %s %s %t", strings.ToUpper(c.kind.name), encoding, codec, c.nullable)
}

// write writes columns as one set, in batches of odd lengths, and has every file judged.
func (j *judge) write(t *testing.T, name string, columns []sampleColumn) {
	t.Helper()
	var fields []arrow.Field
	var encodings, compressions, blocks []string
	indexBlock := ""
	rows := columns[0].values.Len()
	for i := range columns {
		c := &columns[i]
		c.name = fmt.Sprintf("%03d-%s-%s-%s", i, c.kind.name, c.encoding, c.codec)
		fields = append(fields, c.kind.field(c.name, c.nullable))
		encodings = append(encodings, c.name+"="+c.encoding)
		compressions = append(compressions, c.name+"="+c.codec)
		if c.index > 0 {
			indexBlock = fmt.Sprint(c.index)
		}
		if c.block > 0 {
			blocks = append(blocks, fmt.Sprintf("%s=%d", c.name, c.block))
		}
	}
	schema := arrow.NewSchema(fields, nil)
	o := arrowio.WriteOptions{Options: map[string]string{
		"cfile-encoding": strings.Join(encodings, ","), "cfile-compression": strings.Join(compressions, ","), "cfile-block-size": strings.Join(blocks, ","),
	}}
	if indexBlock != "" {
		o.Options["cfile-index-block-size"] = indexBlock
	}
	dir := filepath.Join(j.dir, name)
	r := rand.New(rand.NewSource(int64(len(name))))
	writeSet(t, writer.Format(), dir, schema, o, func(w arrowio.Writer) error {
		for at := 0; at < rows; {
			n := min(rows-at, 1+r.Intn(1000))
			arrays := make([]arrow.Array, len(columns))
			for i := range columns {
				arrays[i] = array.NewSlice(columns[i].values, int64(at), int64(at+n))
			}
			if err := w.Write(array.NewRecord(schema, arrays, int64(n))); err != nil {
				return err
			}
			at += n
		}
		return nil
	})
	for i := range columns {
		c := &columns[i]
		j.add(c.judged(filepath.Join(dir, c.name+".cfile")))
	}
}

func writeSet(t *testing.T, f arrowio.OutputFormat, dir string, schema *arrow.Schema, o arrowio.WriteOptions, rows func(w arrowio.Writer) error) {
	t.Helper()
	p, err := f.Plan(schema, o)
	if err != nil {
		t.Fatal(err)
	}
	st, err := local.NewFileStore(dir, local.FileStoreOptions{Directory: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDumped has Kudu's own tool print what the writer made: every type in every encoding with every codec, nullable and
// not, over values of many shapes. What it must print comes from the Arrow data.
func TestDumped(t *testing.T) {
	j := newJudge(t)
	for _, nullable := range []bool{false, true} {
		var columns []sampleColumn
		for _, k := range tableTypes {
			for _, e := range k.encodings {
				for _, c := range codecs {
					n := len(columns)
					columns = append(columns, sampleColumn{
						encoding: e, codec: c, block: []int{512, 777, 4096, 0, 1024, 65536}[n%6], kind: k, nullable: nullable,
						values: newMaker(int64(n)).column(&k, 3000, nullable),
					})
				}
			}
		}
		j.write(t, fmt.Sprintf("nullable-%t", nullable), columns)
	}
	n := len(j.files)
	if n != 328 {
		t.Errorf("%d combinations", n)
	}
	j.write(t, "lone", variants(loneTypes, 2000, nil))
	j.write(t, "empty", variants(tableTypes, 0, nil))
	j.write(t, "all-null", variants(tableTypes, 1500, func(k *kuduType, n int) arrow.Array {
		return array.MakeArrayOfNull(memory.NewGoAllocator(), k.arrow, n)
	}))
	j.write(t, "short", variants(tableTypes, 1, nil))
	str := tableTypes[7]
	j.write(t, "many", []sampleColumn{
		// More blocks than an index block has room for, and words by the ten thousand: some files have codes of four bytes,
		// others come to the end of their dictionary.
		{encoding: "plain", codec: "none", block: 512, kind: str, values: texts(70_000, func(i int) string { return fmt.Sprint(strings.Repeat("w", i%7*100), i) })},
		{encoding: "dict", codec: "lz4", block: 4 << 20, kind: str, values: texts(70_000, func(i int) string { return fmt.Sprint("word ", i*7919%70_000) })},
		{encoding: "dict", codec: "zlib", kind: str, values: texts(70_000, func(i int) string { return fmt.Sprint("word ", i*7919%70_000) })},
		{encoding: "dict", codec: "none", block: 8192, kind: str, values: texts(70_000, func(i int) string { return fmt.Sprint("word ", i*7919%300) })},
	})
	j.run(t)
}

// variants is a column for each encoding of the types, codecs taking turns; values of every second one may be null.
func variants(types []kuduType, n int, make func(k *kuduType, n int) arrow.Array) (columns []sampleColumn) {
	for _, k := range types {
		for _, e := range k.encodings {
			i := len(columns)
			c := sampleColumn{encoding: e, codec: codecs[i%4], block: 512, kind: k, nullable: make != nil || i%2 == 0}
			if make != nil {
				c.values = make(&k, n)
			} else {
				c.values = newMaker(int64(i)).column(&k, n, c.nullable)
			}
			columns = append(columns, c)
		}
	}
	return columns
}

func texts(n int, of func(i int) string) arrow.Array {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	for i := range n {
		b.Append(of(i))
	}
	return b.NewArray()
}

// TestDumpedFrames has Kudu print files in forms that the writer makes only when asked to: those of version 1, without
// checksums, and with indexes of many levels.
func TestDumpedFrames(t *testing.T) {
	j := newJudge(t)
	values := make([]string, 2000)
	var data []byte
	offsets := []int32{0}
	for i := range values {
		data = fmt.Appendf(data, "%06d%s", i*3, strings.Repeat("z", i%50*20))
		offsets = append(offsets, int32(len(data)))
		values[i] = kuduString("string", data[offsets[i]:])
	}
	for _, version := range []int{1, 2} {
		for _, codec := range []cfilewire.Compression{cfilewire.NoCompression, cfilewire.Snappy, cfilewire.LZ4, cfilewire.Zlib} {
			for _, index := range []int{0, 64} {
				for _, bare := range []bool{false, true} {
					s := cfilewire.ColumnSettings(cfilewire.String, cfilewire.EncodingPlain, codec, false, true)
					s.Version, s.IndexBlock, s.BlockSize, s.NoChecksums = version, index, 512, bare
					var file bytes.Buffer
					var c cfilewire.ColumnOut
					if err := c.Open(s, func(b []byte) error { file.Write(b); return nil }); err != nil {
						t.Fatal(err)
					}
					if err := c.PutStrings(offsets, data, nil, 0); err != nil {
						t.Fatal(err)
					}
					if _, err := c.Finish(); err != nil {
						t.Fatal(err)
					}
					j.addBytes(t, fmt.Sprintf("version %d, %s, index blocks of %d, no checksums %t", version, codec, index, bare), file.Bytes(), values)
				}
			}
		}
	}
	j.run(t)
}

// TestDumpedKeys has Kudu print the files of encoded keys, which it reads by their index of values: of keys that fill a block
// each, so that there are several levels.
func TestDumpedKeys(t *testing.T) {
	j := newJudge(t)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "v", Type: arrow.PrimitiveTypes.Float64},
		{Name: "i", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b", Type: arrow.BinaryTypes.Binary},
	}, nil)
	for name, long := range map[string]string{"short": "", "long": strings.Repeat("same\x00", 900)} {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		var want []string
		for s := range 60 {
			for i := -5; i < 5; i++ {
				for k := range 3 {
					str, bin := fmt.Sprintf("%s%04d", long, s), bytes.Repeat([]byte{0, byte(s)}, k)
					b.Field(0).(*array.StringBuilder).Append(str)
					b.Field(1).(*array.Float64Builder).Append(float64(s))
					b.Field(2).(*array.Int32Builder).Append(int32(i))
					b.Field(3).(*array.BinaryBuilder).Append(bin)
					key := append([]byte(strings.ReplaceAll(str, "\x00", "\x00\x01")), 0, 0)
					key = binary.BigEndian.AppendUint32(key, uint32(i)^1<<31)
					want = append(want, kuduString("binary", append(key, bin...)))
				}
			}
		}
		rec := b.NewRecord()
		b.Release()
		dir := filepath.Join(j.dir, name)
		o := arrowio.WriteOptions{Options: map[string]string{"kudu-key": "s,i,b"}}
		writeSet(t, writer.KuduFormat(), dir, schema, o, func(w arrowio.Writer) error { return w.Write(rec) })
		rec.Release()
		j.add(judged{path: filepath.Join(dir, "rowset-00000", "key-index.cfile"), about: name, want: want, facts: "BINARY PREFIX_ENCODING LZ4 false"})
	}
	j.run(t)
}

// TestRewritten reads the real files of testdata, writes them in the encoding that they have, and compares what Kudu prints
// of the copy with what it prints of the original.
func TestRewritten(t *testing.T) {
	const testdata = "../../testdata/"
	j := newJudge(t)
	var list struct {
		Files []struct{ File, Format string }
	}
	fixtures.ReadJSON(t, testdata+"manifest.json", &list)
	for i, x := range list.Files {
		if x.Format != reader.Name {
			continue
		}
		b := fixtures.Read(t, testdata+x.File)
		footer, err := cfilewire.ParseFooter(b, int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if footer.Kind() != cfilewire.ColumnFile {
			continue
		}
		o := arrowio.WriteOptions{Compression: footer.Compression.String(), Options: map[string]string{
			"cfile-encoding": footer.Encoding.String(), "cfile-block-size": []string{"512", "4096", "262144"}[i%3],
		}}
		f, err := reader.Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(j.dir, fmt.Sprint(i))
		writeSet(t, writer.Format(), dir, f.Schema(), o, func(w arrowio.Writer) error {
			rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
			if err != nil {
				return err
			}
			defer rr.Release()
			for rr.Next() {
				if err := w.Write(rr.Record()); err != nil {
					return err
				}
			}
			return rr.Err()
		})
		f.Close()
		j.add(judged{path: filepath.Join(dir, cfilewire.ValueName+".cfile"), about: x.File, like: filepath.Join(testdata, x.File)})
	}
	j.run(t)
}

// TestIndexOfValuesJudged has Kudu print files of --cfile-key whose indexes have many levels.
func TestIndexOfValuesJudged(t *testing.T) {
	j := newJudge(t)
	for _, c := range []struct {
		dt   arrow.DataType
		kudu string
	}{
		{arrow.PrimitiveTypes.Int16, "int16"}, {arrow.PrimitiveTypes.Int64, "int64"}, {arrow.BinaryTypes.String, "string"}, {arrow.BinaryTypes.Binary, "binary"},
	} {
		for _, codec := range codecs {
			s, rec := keyed(t, c.dt, 8000)
			dir := filepath.Join(j.dir, c.kudu+"-"+codec)
			writeSet(t, writer.Format(), dir, s, indexed("cfile-index-block-size", "512", "cfile-compression", codec, "cfile-encoding", "k=plain"), func(w arrowio.Writer) error { return w.Write(rec) })
			text := kuduText(c.kudu, rec.Column(1))
			want := make([]string, rec.NumRows())
			for i := range want {
				want[i] = text(i)
			}
			j.add(judged{path: filepath.Join(dir, "k.cfile"), about: c.kudu + " " + codec, want: want})
		}
	}
	j.run(t)
}
