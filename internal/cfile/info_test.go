package cfile

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

func infoOf(t testing.TB, f *File, o arrowio.InfoOptions) *arrowio.Info {
	t.Helper()
	i, err := f.Info(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func factOf(i *arrowio.Info, name string) string {
	k := slices.IndexFunc(i.Facts, func(x arrowio.Fact) bool { return x.Name == name })
	if k < 0 {
		return ""
	}
	return i.Facts[k].Value
}

// The parts of a file add up to it, rows and nulls to those that Kudu sees.
func TestInfoFixtures(t *testing.T) {
	for _, x := range manifest(t) {
		f := openFixture(t, x)
		i := infoOf(t, f, arrowio.InfoOptions{Blocks: true, Checksums: true})
		c := i.Columns[0]
		if i.Format != Name || i.Version != "2" || i.Rows != x.Rows || len(i.Columns) != 1 {
			t.Errorf("%s: %+v", x.name(), i)
		}
		if sum := f.footer.HeaderSize + c.Bytes + i.Bytes - f.footer.FooterOff; sum != i.Bytes {
			t.Errorf("%s: %d bytes of %d", x.name(), sum, i.Bytes)
		}
		if c.Verdict != "ok" || c.Blocks != len(c.BlockList) || c.RawBytes == 0 || c.Checksum != "crc32c" {
			t.Errorf("%s: %+v", x.name(), c)
		}
		rows := int64(0)
		for _, b := range c.BlockList {
			rows += b.Rows
			if b.Verdict != "ok" || b.Encoding == "" || b.RawBytes == 0 {
				t.Errorf("%s: %+v", x.name(), b)
			}
		}
		if rows != x.Rows {
			t.Errorf("%s: blocks of %d rows, there are %d", x.name(), rows, x.Rows)
		}
		if x.Text.File == "" || f.kind != cfilewire.ColumnFile {
			continue
		}
		nulls := int64(0)
		for _, line := range fixtures.Lines(t, testdata+x.Text.File) {
			if line == "[null]" {
				nulls++
			}
		}
		if c.Stats.Nulls != nulls || c.Stats.Values != x.Rows-nulls {
			t.Errorf("%s: %d nulls, there are %d", x.name(), c.Stats.Nulls, nulls)
		}
	}
}

func TestInfoKeys(t *testing.T) {
	f := openBuilt(t, numberKeys(), Options{})
	i := infoOf(t, f, arrowio.InfoOptions{Blocks: true})
	c := i.Columns[0]
	for name, want := range map[string]string{
		"kind": "column", "nullable": "false", "min key": "0", "max key": "9000",
		"row index": "2 levels, 3 blocks, 91 bytes, 3 entries", "key index": "2 levels, 3 blocks, 84 bytes, 3 entries",
	} {
		if got := factOf(i, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if c.Stats.Min != "0" || c.Stats.Max != "9000" || c.Stats.Values != 10 || c.Index != "value index" || c.Stored != "int32" || c.Type != "int32" {
		t.Errorf("%+v", c)
	}
	if len(c.BlockList) != 9 || c.BlockList[0].Rows != 4 || c.BlockList[2].Rows != 2 || c.BlockList[0].Kind != "data" || c.Verdict != "" {
		t.Errorf("%+v", c.BlockList)
	}
	// what filters leave
	for _, x := range []struct {
		where        string
		left         int64
		groups, of   int
		prunedByItem bool
	}{
		{"value < 1000", 4, 1, 3, true},
		{"value >= 3999", 6, 2, 3, true},
		{"value > 9000", 0, 0, 3, true},
		{"value >= 0", 10, 3, 3, false},
	} {
		e, err := expr.Parse(x.where)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(e, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		p := infoOf(t, f, arrowio.InfoOptions{Filter: bound}).Plan
		if len(p) != 1 || p[0].Left < x.left || p[0].Groups < x.groups || p[0].GroupsOf != x.of || len(p[0].By) > 0 != x.prunedByItem || p[0].BytesOf != 28+28+20 {
			t.Errorf("%s: %+v", x.where, p)
		}
		if x.prunedByItem && p[0].Left == 10 {
			t.Errorf("%s: nothing is left out", x.where)
		}
	}
}

// What a careful user should know is in the notes.
func TestInfoNotes(t *testing.T) {
	ctx := context.Background()
	has := func(f *File, note string) {
		t.Helper()
		i := infoOf(t, f, arrowio.InfoOptions{Checksums: true})
		if !strings.Contains(strings.Join(i.Notes, "\n"), note) {
			t.Errorf("no %q in %q", note, i.Notes)
		}
	}
	has(openBuilt(t, &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, plainSums: true, rows: [][]byte{{1}}}, Options{}), "no checksums")
	has(openBuilt(t, &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, version: 1, rows: [][]byte{{1}}}, Options{}), "version 1")
	has(openBuilt(t, &built{typ: cfilewire.Decimal32, encoding: cfilewire.EncodingPlain, rows: [][]byte{{1, 0, 0, 0}}}, Options{}), "decimal(9, 0)")
	has(openBuilt(t, bloomFile([][]byte{{1}}, 1), Options{}), "no rows")
	has(openBuilt(t, deltasOf([][]byte{oneDelta(1, 10, 2)}, statsMessage(1, 0, 10, 10)), Options{}), "REDO")
	f := numberKeys()
	f.onEntry = func(what string, e *builtEntry) {
		if what == "val" && len(e.key) > 1 {
			e.key = []byte{0}
		}
	}
	has(openBuilt(t, f, Options{}), "do not ascend")
	f = numberKeys()
	f.meta = []cfilewire.Pair{{Key: "min_key", Value: []byte{0xff}}}
	has(openBuilt(t, f, Options{}), "the least key is above the greatest")
	// damage
	f = numberKeys()
	b := f.build(t)
	b[f.data[0].Off] ^= 1
	b[f.val[0].Off] ^= 1
	file, err := Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	has(file, "! cfile: value index at")
	i := infoOf(t, file, arrowio.InfoOptions{Checksums: true, Blocks: true})
	if v := i.Columns[0].Verdict; v != "7 ok, 2 wrong" || i.Columns[0].BlockList[0].Verdict != "wrong" {
		t.Errorf("%s, %+v", v, i.Columns[0].BlockList)
	}
}
