package kuduwire

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// message returns the only message of a container, and what is before it.
func messageOf(t testing.TB, b []byte) (head, message []byte) {
	t.Helper()
	c, err := OpenContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	head = b[:c.Good]
	m, ok := c.Next()
	if !ok {
		t.Fatal(c.Err)
	}
	return head, m
}

// What Kudu wrote of rowsets comes out of what was read, byte by byte.
func TestRowSetsAsKuduWritesThem(t *testing.T) {
	_, message := messageOf(t, realContainer(t, superBlockType, realSuperBlock))
	m := pb.New(message)
	n := 0
	for m.Next() {
		if m.Num != 6 {
			continue
		}
		var r RowSet
		if err := rowSetTable.Parse(m.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if got := rowSetTable.Append(nil, &r); !bytes.Equal(got, m.Bytes()) {
			t.Errorf("rowset %d\n got %x\nwant %x", r.ID, got, m.Bytes())
		}
		n++
	}
	if n != 4 {
		t.Errorf("%d rowsets", n)
	}
}

func someRowSet(id int64, block uint64) RowSet {
	return RowSet{
		ID: id, LastDurableDMS: -1, Columns: []ColumnBlock{{block, 0}, {block + 1, 5}}, Bloom: block + 2, HasBloom: true,
		AdHoc: block + 3, HasAdHoc: true, LiveRows: 77,
	}
}

func TestAddRowSets(t *testing.T) {
	b := realContainer(t, superBlockType, realSuperBlock)
	if got, err := AddRowSets(b, nil, noLimits); err != nil || !bytes.Equal(got, b) {
		t.Errorf("nothing was added, and something has changed: %v", err)
	}
	more := []RowSet{someRowSet(9, 1000), someRowSet(10, 2000)}
	more[1].HasAdHoc, more[1].AdHoc, more[1].LiveRows = false, 0, -1
	more[1].MinKey, more[1].MaxKey = []byte{}, []byte("z")
	more[1].Redo, more[1].Undo = []uint64{3000, 3001}, []uint64{3002}
	got, err := AddRowSets(b, more, noLimits)
	if err != nil {
		t.Fatal(err)
	}
	oldHead, oldMessage := messageOf(t, b)
	head, message := messageOf(t, got)
	if !bytes.Equal(head, oldHead) || !bytes.HasPrefix(message, oldMessage) {
		t.Error("more than the end has changed")
	}
	want, _ := ParseSuperBlock(b, noLimits)
	want.RowSets = append(want.RowSets, more...)
	if is, err := ParseSuperBlock(got, noLimits); err != nil || !reflect.DeepEqual(is, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, is, want)
	}
}

// Fields that nobody knows, and what comes behind rowsets, stay as they are; so does the container's version.
func TestAddRowSetsKeepsWhatItDoesNotKnow(t *testing.T) {
	for version := 1; version <= 2; version++ {
		old := superBlockOf(msg{}.num(1, 0).num(2, -1).sub(3, msg{}.block(2, 1)).str(99, "of a rowset")).
			str(500, "later").num(501, -7).sub(14, msg{}.sub(2, msg{}))
		got, err := AddRowSets(containerOf(version, superBlockType, old), []RowSet{someRowSet(3, 50)}, noLimits)
		if err != nil {
			t.Fatal(err)
		}
		c, err := OpenContainer(got)
		if err != nil || c.Version != version {
			t.Errorf("version %d, %v", c.Version, err)
		}
		if _, message := messageOf(t, got); !bytes.HasPrefix(message, old) {
			t.Errorf("%x", message)
		}
	}
}

func TestAddRowSetsRefuses(t *testing.T) {
	b := realContainer(t, superBlockType, realSuperBlock)
	for name, r := range map[string]RowSet{
		"an id that is there":     someRowSet(2, 1000),
		"a block that is there":   someRowSet(9, 44),
		"no id":                   someRowSet(-1, 1000),
		"a column twice":          {ID: 9, LastDurableDMS: -1, Columns: []ColumnBlock{{1000, 1}, {1001, 1}}},
		"block 0":                 {ID: 9, LastDurableDMS: -1, Columns: []ColumnBlock{{0, 1}}},
		"a deltamemstore below 0": {ID: 9, LastDurableDMS: -2, Columns: []ColumnBlock{{1000, 1}}},
	} {
		if _, err := AddRowSets(b, []RowSet{r}, noLimits); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range b {
		if _, err := AddRowSets(b[:n], nil, noLimits); err == nil {
			t.Errorf("cut at %d", n)
		}
	}
}

// FuzzAddRowSets: what can be read can be added to, and says the same and the rowset.
func FuzzAddRowSets(f *testing.F) {
	_, real := messageOf(f, realContainer(f, superBlockType, realSuperBlock))
	f.Add(real, int64(9), uint64(1000), "key")
	f.Add([]byte(superBlockOf()), int64(0), uint64(1), "")
	f.Add([]byte(superBlockOf().str(77, "later")), int64(1)<<62, ^uint64(0)-4, "z")
	f.Fuzz(func(t *testing.T, message []byte, id int64, block uint64, key string) {
		b := containerOf(2, superBlockType, message)
		old, err := ParseSuperBlock(b, noLimits)
		if err != nil {
			return
		}
		r := someRowSet(id, block)
		if key != "" {
			r.MinKey, r.MaxKey = []byte{}, []byte(key)
		}
		got, err := AddRowSets(b, []RowSet{r}, noLimits)
		if err != nil {
			if !errors.Is(err, errs.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		want := *old
		want.RowSets = append(want.RowSets, r)
		if is, err := ParseSuperBlock(got, noLimits); err != nil || !reflect.DeepEqual(is, &want) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, is, want)
		}
		if _, m := messageOf(t, got); !bytes.HasPrefix(m, message) {
			t.Fatal("the beginning has changed")
		}
	})
}
