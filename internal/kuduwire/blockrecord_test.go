package kuduwire

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func created(id uint64, off, length int64) msg {
	return msg{}.block(1, id).num(2, 1).num(3, 1).num(4, off).num(5, length)
}

func deleted(id uint64) msg { return msg{}.block(1, id).num(2, 2).num(3, 1) }

func TestBlockRecords(t *testing.T) {
	b := realContainer(t, typeBlockRecord, realBlocks...)
	got, d, err := ParseBlockRecords(b, nil)
	want := []BlockRecord{
		{ID: 7, Op: BlockCreate, Off: 0, Length: 16, Seq: 0},
		{ID: 7, Op: BlockDelete, Off: -1, Seq: 1},
		{ID: 8, Op: BlockCreate, Off: 4096, Length: 588, Seq: 2},
	}
	if err != nil || !d.None() || !slices.Equal(got, want) {
		t.Fatalf("%+v, %+v, %v", got, d, err)
	}
	if live := LiveBlocks(got, &d); !slices.Equal(live, want[2:]) || !d.None() {
		t.Errorf("%+v, %+v", live, d)
	}
	// Cut anywhere: torn, with the records before, or whole.
	for n := range b {
		got, d, err := ParseBlockRecords(b[:n], nil)
		if err != nil || d.Skipped > 0 || !d.Torn && len(got) == 0 && n < len(unhex(t, realHead)) {
			t.Errorf("cut at %d: %+v, %v", n, d, err)
		}
		for i := range got {
			if got[i] != want[i] && got[i].ID != 7 { // want was sorted
				t.Errorf("cut at %d: %+v", n, got)
			}
		}
	}
}

func TestBlockRecordsDamaged(t *testing.T) {
	senseless := []msg{
		nil,
		msg{}.num(2, 1),
		msg{}.block(1, 0).num(2, 1).num(4, 0).num(5, 1),
		msg{}.block(1, 5),
		msg{}.block(1, 5).num(2, 3),
		msg{}.num(1, 5).num(2, 1),
		{0xff, 0xff},
	}
	messages := [][]byte{created(1, 0, 10)}
	for _, m := range senseless {
		messages = append(messages, m)
	}
	messages = append(messages, created(2, 4096, 10), created(3, -1, 10), created(4, 0, -1),
		created(5, math.MaxInt64, 2), msg{}.block(1, 6).num(2, 1))
	b := containerOf(2, typeBlockRecord, messages...)
	got, d, err := ParseBlockRecords(b, nil)
	if err != nil || d.Skipped != len(senseless) || d.Torn || d.Cut || !errors.Is(d.Err, errs.ErrCorrupt) {
		t.Fatalf("%+v, %v", d, err)
	}
	want := []BlockRecord{
		{ID: 1, Op: BlockCreate, Length: 10, Seq: 0},
		{ID: 2, Op: BlockCreate, Off: 4096, Length: 10, Seq: 1},
		{ID: 3, Op: BlockCreate, Off: -1, Seq: 2},
		{ID: 4, Op: BlockCreate, Off: -1, Seq: 3},
		{ID: 5, Op: BlockCreate, Off: -1, Seq: 4},
		{ID: 6, Op: BlockCreate, Off: -1, Seq: 5},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	// A wrong checksum of a length hides what follows.
	first := containerOf(2, typeBlockRecord, messages[0])
	bad := slices.Clone(b)
	bad[len(first)] ^= 1
	got, d, err = ParseBlockRecords(bad, nil)
	if err != nil || len(got) != 1 || d.Skipped != 1 || !d.Cut || d.Torn {
		t.Errorf("%+v, %+v, %v", got, d, err)
	}
	if _, _, err := ParseBlockRecords(containerOf(2, "kudu.Other"), nil); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("another type: %v", err)
	}
	if _, _, err := ParseBlockRecords([]byte("kuduenc\x01 and so on, long enough"), nil); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("encrypted: %v", err)
	}
	if got, d, err := ParseBlockRecords(nil, got[:0]); err != nil || len(got) != 0 || !d.Torn || !d.NoHead {
		t.Errorf("nothing: %+v, %+v, %v", got, d, err)
	}
}

func TestLiveBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		messages [][]byte
		want     []uint64
		offs     []int64
		damage   BlockDamage
	}{
		"none":             {nil, nil, nil, BlockDamage{}},
		"deleted":          {[][]byte{created(1, 0, 1), deleted(1)}, nil, nil, BlockDamage{}},
		"deleted, others":  {[][]byte{created(9, 0, 1), created(1, 8, 1), deleted(9), created(5, 16, 1)}, []uint64{1, 5}, []int64{8, 16}, BlockDamage{}},
		"made again":       {[][]byte{created(1, 0, 1), deleted(1), created(1, 8, 2)}, []uint64{1}, []int64{8}, BlockDamage{}},
		"twice the same":   {[][]byte{created(1, 8, 1), created(1, 8, 1)}, []uint64{1}, []int64{8}, BlockDamage{}},
		"twice":            {[][]byte{created(1, 0, 1), created(1, 8, 1)}, []uint64{1}, []int64{-1}, BlockDamage{Doubled: 1}},
		"twice and gone":   {[][]byte{created(1, 0, 1), created(1, 8, 1), deleted(1)}, nil, nil, BlockDamage{Doubled: 1}},
		"nobody made it":   {[][]byte{deleted(3)}, nil, nil, BlockDamage{Unknown: 1}},
		"deleted too soon": {[][]byte{deleted(3), created(3, 8, 1)}, []uint64{3}, []int64{8}, BlockDamage{Unknown: 1}},
	} {
		records, d, err := ParseBlockRecords(containerOf(2, typeBlockRecord, c.messages...), nil)
		if err != nil {
			t.Fatal(err)
		}
		var ids []uint64
		var offs []int64
		for _, r := range LiveBlocks(records, &d) {
			ids, offs = append(ids, r.ID), append(offs, r.Off)
		}
		if !slices.Equal(ids, c.want) || !slices.Equal(offs, c.offs) || d != c.damage {
			t.Errorf("%s: %v at %v, %+v", name, ids, offs, d)
		}
	}
}

// FuzzBlockRecords: whatever the bytes, records make sense, and each block lives once.
func FuzzBlockRecords(f *testing.F) {
	f.Add(realContainer(f, typeBlockRecord, realBlocks...))
	f.Add(containerOf(1, typeBlockRecord, created(1, 0, 1), deleted(1), created(2, -1, 5)))
	f.Add(append(containerOf(2, typeBlockRecord, created(1, 0, 1), created(1, 8, 1)), make([]byte, 32)...))
	f.Add([]byte("kuduenc\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		records, d, err := ParseBlockRecords(b, nil)
		if err != nil {
			if len(records) > 0 {
				t.Fatalf("%d records and %v", len(records), err)
			}
			return
		}
		if d.Skipped > 0 != (d.Err != nil) {
			t.Fatalf("%+v", d)
		}
		n := len(records)
		live := LiveBlocks(records, &d)
		if len(live) > n {
			t.Fatalf("%d of %d", len(live), n)
		}
		for i, r := range live {
			if r.Op != BlockCreate || r.ID == 0 || r.Off < -1 || r.Length < 0 || r.Off+r.Length < -1 || i > 0 && live[i-1].ID >= r.ID {
				t.Fatalf("%+v", live)
			}
		}
	})
}

// FuzzContainer: records lie in the container, one behind the other, and Pass always makes progress.
func FuzzContainer(f *testing.F) {
	f.Add(realContainer(f, "kudu.InstanceMetadataPB", realInstance))
	f.Add(containerOf(1, "a", []byte("one"), nil, []byte("two")))
	damaged := containerOf(2, "a", []byte("one"), []byte("two"))
	damaged[len(damaged)-1] ^= 1
	f.Add(damaged)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := OpenContainer(b)
		if err != nil {
			var e *errs.Error
			if !errors.As(err, &e) || e.Format != "kudu" || e.Off < 0 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		for {
			at := c.Good
			r, ok := c.Next()
			switch {
			case ok && (c.Good < at+int64(len(r))+8 || c.Good > int64(len(b))):
				t.Fatalf("a record of %d bytes from %d to %d of %d", len(r), at, c.Good, len(b))
			case ok:
			case c.Err == nil && at != int64(len(b)):
				t.Fatalf("ends at %d of %d", at, len(b))
			case c.Err == nil || !c.Pass():
				return
			case c.Good <= at:
				t.Fatal("no progress")
			}
		}
	})
}
