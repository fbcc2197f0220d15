package kudu

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

func TestArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	bound := &memoryBound{limit: 64 << 20}
	a := &arena{bound: bound}
	var refs []ref
	var want [][]byte
	for i := range 3000 {
		n := rng.IntN(300)
		if i%500 == 0 {
			n = rng.IntN(3 << 20)
		}
		b := bytes.Repeat([]byte{byte(i)}, n)
		r, err := a.put(b)
		if err != nil {
			t.Fatal(err)
		}
		refs, want = append(refs, r), append(want, b)
	}
	total := int64(0)
	for i, r := range refs {
		if got := a.at(r, len(want[i])); !bytes.Equal(got, want[i]) || cap(got) != len(got) {
			t.Fatalf("%d: %d bytes, %d of capacity", i, len(got), cap(got))
		}
	}
	for _, c := range a.chunks {
		total += int64(len(c))
	}
	if bound.used != total {
		t.Errorf("%d bytes counted, %d taken", bound.used, total)
	}
	bound.limit = bound.used
	if _, err := a.alloc(2 << 20); !errors.Is(err, errs.ErrLimit) {
		t.Error(err)
	}
}

func TestKeyTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	table := newKeyTable(&arena{bound: &memoryBound{limit: 1 << 30}})
	if _, ok := table.find([]byte("a")); ok {
		t.Error("found in an empty table")
	}
	want := map[string]int{}
	for range 20_000 {
		key := []byte(fmt.Sprint(rng.IntN(9000)))
		key = key[:rng.IntN(len(key)+1)] // the empty key is one too
		n, ok := want[string(key)]
		if i, found := table.find(key); found != ok || ok && i != n {
			t.Fatalf("%q: %d, %v", key, i, found)
		}
		i, old, err := table.add(key)
		if err != nil || old != ok || ok && i != n || !ok && i != len(want) {
			t.Fatalf("%q: %d, %v, %v", key, i, old, err)
		}
		want[string(key)] = i
	}
	numbers := make([]uint32, len(table.keys))
	keys := make([]string, 0, len(want))
	for k, i := range want {
		numbers[i] = uint32(i)
		keys = append(keys, k)
	}
	slices.Sort(keys)
	table.sort(numbers)
	for i, n := range numbers {
		if string(table.key(int(n))) != keys[i] {
			t.Fatalf("%d: %q, want %q", i, table.key(int(n)), keys[i])
		}
	}
}

// Strings that grow and shrink and become null in place, and what a snapshot in between sees.
func TestMemRowSet(t *testing.T) {
	s := tableOf(t, madeColumns, 0)
	m := newMemRowSet(&arena{bound: &memoryBound{limit: 1 << 20}}, 100)
	m.add(s.layout)
	key := []byte(keyOf(1))
	row := func(str string) []kw.RowCell {
		r := make([]kw.RowCell, 4)
		r[0] = kw.RowCell{Set: true, Value: []byte(madeInt64(1))}
		r[1] = kw.RowCell{Set: true, Null: true}
		r[2] = kw.RowCell{Set: true, Value: []byte(str)}
		r[3] = kw.RowCell{Set: true, Value: []byte(madeInt32(3))}
		return r
	}
	show := func() string {
		r, err := m.sorted()
		if err != nil {
			t.Fatal(err)
		}
		c := make([]cell, 1)
		if r.len() == 0 {
			return "none"
		}
		r.column(c, 12, 0)
		return logCell(s.Columns[2].Type, c[0])
	}
	step := func(what string, ok bool, err error, want string) {
		t.Helper()
		if !ok || err != nil || show() != want {
			t.Errorf("%s: %v, %v, %s, want %s", what, ok, err, show(), want)
		}
	}
	ok, err := m.insert(key, s.layout, row("middle"), 10)
	step("insert", ok, err, `"middle"`)
	if ok, err := m.insert(key, s.layout, row("again"), 10); ok || err != nil {
		t.Error(ok, err)
	}
	i, live := m.find(key)
	step("find", live, nil, `"middle"`)
	set := make([]kw.RowCell, 4)
	for _, v := range []string{"", "much longer than before", "x", "longer again"} {
		set[2] = kw.RowCell{Set: true, Value: []byte(v)}
		step("update", true, m.update(i, s, set, 20), fmt.Sprintf("%q", v))
	}
	set[2] = kw.RowCell{Set: true, Null: true}
	step("null", true, m.update(i, s, set, 20), "null")
	set[2] = kw.RowCell{Set: true, Value: []byte("y")}
	step("not null", true, m.update(i, s, set, 20), `"y"`)
	set[2].Value = []byte("too late")
	step("after the snapshot", true, m.update(i, s, set, 100), `"y"`)
	m.remove(i, 100)
	step("removed after the snapshot", true, nil, `"y"`)
	if _, live := m.find(key); live {
		t.Error("live")
	}
	ok, err = m.insert(key, s.layout, row("too late"), 101)
	step("inserted after the snapshot", ok, err, `"y"`)
	m.remove(i, 50)
	step("removed", true, nil, "none")
	ok, err = m.insert(key, s.layout, row("anew"), 60)
	step("anew", ok, err, `"anew"`)
	var none *memRowSet
	if r, err := none.sorted(); err != nil || r.len() != 0 {
		t.Error(err)
	}
}
