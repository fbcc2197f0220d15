package metastore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
)

// manyPartitions is a table with partitions of wide rows. own returns the SerDe of each.
func manyPartitions(n, columns int, own func(i int) string) *metastorefake.Server {
	in := metastore.Storage{InputFormat: "in", SerDeParameters: map[string]string{"a": "b"}}
	for i := range columns {
		in.Columns = append(in.Columns, metastore.Column{Name: fmt.Sprintf("column_%d", i), Type: "string"})
	}
	s := &metastorefake.Server{
		Tables:     map[string]*metastore.Table{"d.t": {Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: in, Keys: []metastore.Column{{Name: "p", Type: "int"}}}},
		Partitions: map[string][]metastore.Partition{},
	}
	for i := range n {
		p := metastore.Partition{Values: []string{fmt.Sprintf("%06d", i)}, Storage: in}
		p.Storage.Location, p.Storage.SerDe = fmt.Sprintf("/t/%d", i), own(i)
		s.Partitions["d.t"] = append(s.Partitions["d.t"], p)
	}
	return s
}

var manyName = metastore.Name{Database: "d", Table: "t"}

// Partitions of which 256 do not fit into an answer are asked for in smaller parts, and share what they have in common.
func TestPartitionsInParts(t *testing.T) {
	s := manyPartitions(600, 300, func(i int) string { return fmt.Sprint("serde", i%3) })
	calls := 0
	s.Look = func(method string) {
		if method == "get_partitions_by_names" {
			calls++
		}
	}
	c := dial(t, s.Start(t), metastore.Options{Bytes: 1 << 20})
	names, err := c.PartitionNames(t.Context(), manyName)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Partitions(t.Context(), manyName, names)
	if err != nil || len(got) != 600 || calls < 50 || calls > 300 {
		t.Fatal(len(got), calls, err)
	}
	for i, p := range got {
		want := s.Partitions["d.t"][i]
		if p.Values[0] != want.Values[0] || p.Storage.Location != want.Storage.Location || p.Storage.SerDe != want.Storage.SerDe || len(p.Storage.Columns) != 300 {
			t.Errorf("%d: %v", i, p)
		}
		if first := got[i%3]; &p.Storage.Columns[0] != &first.Storage.Columns[0] {
			t.Errorf("%d has columns of its own", i)
		}
	}
	table, err := c.StoredTable(t.Context(), manyName)
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := c.StoredPartitions(t.Context(), table, names[:300]); err != nil || len(stored) != 300 {
		t.Error(len(stored), err)
	}
	// Small ones are asked for 256 at once.
	s = manyPartitions(1000, 1, func(int) string { return "" })
	calls = 0
	s.Look = func(string) { calls++ }
	c = dial(t, s.Start(t), metastore.Options{})
	if names, err = c.PartitionNames(t.Context(), manyName); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Partitions(t.Context(), manyName, names); err != nil || len(got) != 1000 || calls != 1+1+4 {
		t.Error(len(got), calls, err)
	}
}

// Partitions that are more than were asked for, that come twice, or that take much memory together, are errors, and none of memory.
func TestTooManyPartitions(t *testing.T) {
	s := manyPartitions(5000, 0, func(i int) string { return fmt.Sprint(strings.Repeat("x", 1000), i) })
	c := dial(t, s.Start(t), metastore.Options{Bytes: 1 << 17})
	names, err := c.PartitionNames(t.Context(), manyName)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Partitions(t.Context(), manyName, names); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), "4 times the limit MetadataBytes") {
		t.Error(err)
	}
	c = dial(t, s.Start(t), metastore.Options{Bytes: 1 << 15})
	if _, err := c.PartitionNames(t.Context(), manyName); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), "names of the partitions of table d.t are too many") {
		t.Error(err)
	}
	const begin = "\x80\x01\x00\x02\x00\x00\x00\x01x\x00\x00\x00\x01\x0f\x00\x00\x0c"
	one := "\x0f\x00\x01\x0b\x00\x00\x00\x01\x00\x00\x00\x01a\x00"
	for want, answer := range map[string]string{
		"more than the 2 partitions": begin + "\x00\x3f\xff\xff" + strings.Repeat("\x00", 1<<22),
		`["a"] of table d.t twice`:   begin + "\x00\x00\x00\x02" + one + one + "\x00",
	} {
		addr := listen(t, func(l net.Listener) {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(conn, answer) // the client may be gone
			_ = conn.Close()
		})
		if got, err := dial(t, addr, metastore.Options{}).Partitions(t.Context(), manyName, []string{"p=1", "p=2"}); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v", got, err)
		}
	}
}
