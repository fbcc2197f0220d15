package kudu

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Ranges and values in the words of Kudu's tool, which an interop test has taken by that tool, and of Impala, as its manual has them.
func TestDefinition(t *testing.T) {
	int64Key := func(v int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)^1<<63) }
	micros := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	f := &File{table: "impala::db.t`x", columns: []kuduwire.Column{
		{ID: 0, Name: "k", Type: cfilewire.Int64, Key: true, Encoding: cfilewire.EncodingRLE},
		{ID: 1, Name: "s", Type: cfilewire.String, Key: true},
		{ID: 2, Name: "n", Type: cfilewire.Varchar, Length: 5, Nullable: true, WriteDefault: []byte(`it's "1"`), Comment: "a'b"},
		{ID: 3, Name: "at", Type: cfilewire.UnixtimeMicros, WriteDefault: micros(1600000000000001), BlockSize: 8192},
		{ID: 4, Name: "p", Type: cfilewire.Decimal32, Precision: 9, Scale: 2, Nullable: true, WriteDefault: binary.LittleEndian.AppendUint32(nil, 125)},
		{ID: 5, Name: "list", Type: cfilewire.Int32, Array: true, Nullable: true},
	}}
	d := &definer{File: f, out: &Definition{}, replicas: 3, schema: &kuduwire.Schema{Columns: f.columns}}
	d.parts = &kuduwire.Partitioning{
		Hash: []kuduwire.HashDimension{{Columns: []int{1}, Buckets: 4, Seed: 7}}, Range: []int{0},
		Ranges: []kuduwire.HashedRange{{Lower: int64Key(10), Upper: int64Key(20), Hash: []kuduwire.HashDimension{{Columns: []int{1}, Buckets: 9}}}},
	}
	d.ranges = []kuduwire.Partition{{Upper: int64Key(-3)}, {Lower: int64Key(-3), Upper: int64Key(10)}, {Lower: int64Key(10), Upper: int64Key(20)}}
	if err := d.tool(); err != nil {
		t.Fatal(err)
	}
	d.impala()
	for _, want := range []string{
		`"default_value": "it's \\\"1\\\""`, `"default_value": "1600000000000001"`, `"encoding": "RLE"`, `"cfile_block_size": 8192`, `"seed": 7`,
		`"bound_type": "EXCLUSIVE"`, `"-3"`, `"num_replicas": 3`,
	} {
		if !strings.Contains(string(d.out.Tool), want) {
			t.Errorf("%q is not in %s", want, d.out.Tool)
		}
	}
	if n := strings.Count(string(d.out.Tool), "bound_type"); n != 3 {
		t.Errorf("%d bounds: %s", n, d.out.Tool)
	}
	if want := "kudu table add_range_partition MASTERS 'impala::db.t`x' '[\"10\"]' '[\"20\"]' --hash_schema='{\"hash_schema\":[{\"columns\":[\"s\"],\"num_buckets\":9}]}'"; len(d.out.Ranges) != 1 || d.out.Ranges[0] != want {
		t.Errorf("%q, want %q", d.out.Ranges, want)
	}
	for _, want := range []string{
		"CREATE TABLE `db`.`t``x` (\n  `k` BIGINT ENCODING RLE,\n  `s` STRING,\n", "`n` VARCHAR(5) NULL DEFAULT 'it\\'s \"1\"' COMMENT 'a\\'b'",
		"`at` TIMESTAMP NOT NULL DEFAULT CAST('2020-09-13 12:26:40.000001' AS TIMESTAMP) BLOCK_SIZE 8192", "`p` DECIMAL(9, 2) NULL DEFAULT 1.25",
		"  PRIMARY KEY (`k`, `s`)\n)\nPARTITION BY HASH (`s`) PARTITIONS 4, RANGE (`k`) (\n  PARTITION VALUES < -3,\n  PARTITION -3 <= VALUES < 10,\n  PARTITION 10 <= VALUES < 20\n)\nSTORED AS KUDU",
	} {
		if !strings.Contains(d.out.Impala, want) {
			t.Errorf("%q is not in %s", want, d.out.Impala)
		}
	}
	if notes := strings.Join(d.out.Notes, "\n"); !strings.Contains(notes, "list: Kudu's tool and Impala have no arrays") || !strings.Contains(notes, "p: Kudu's tool cannot be given its default, 1.25") || !strings.Contains(notes, "hashes of its own") || !strings.Contains(notes, "backtick") {
		t.Error(notes)
	}
	if strings.Contains(d.out.Impala, "list") {
		t.Error(d.out.Impala)
	}
}
