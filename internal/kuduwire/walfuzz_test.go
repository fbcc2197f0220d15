package kuduwire

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

func checkKind(t *testing.T, err error) {
	t.Helper()
	var e *errs.Error
	if err != nil && (!errors.As(err, &e) || e.Kind == 0 || e.Kind == errs.ErrInternal) {
		t.Fatalf("no kind: %v", err)
	}
}

// FuzzSegment: a segment's frame. What is found behind damage is a head.
func FuzzSegment(f *testing.F) {
	f.Add(unhex(f, realSegment))
	f.Add(unhex(f, realFooter))
	f.Add(append(unhex(f, realSegment), entryHead(false, 9, 9, 9)...))
	f.Add(append([]byte("kudulogf\x0d\x00\x00\x00"), append(msg{}.num(1, 1).str(5, "t").num(6, 1).str(7, ""), entryHead(true, 0, 0, 0)...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= SegmentTailSize {
			tail := len(b) - SegmentTailSize
			n, err := ParseSegmentTail(b[tail:], int64(tail))
			checkKind(t, err)
			if n > tail {
				t.Fatalf("a footer of %d bytes in %d", n, tail)
			}
			_, err = ParseSegmentFooter(b[tail-n : tail])
			checkKind(t, err)
		}
		h, _, off, _ := readSegment(b)
		if h == nil {
			return
		}
		rest := b[off:]
		at := h.FindEntryHead(rest)
		for i := 0; i+h.EntryHeadSize() <= len(rest); i++ {
			if _, ok := h.ParseEntryHead(rest[i:]); ok != (i == at) && (at < 0 || i <= at) {
				t.Fatalf("a head at %d is %v, found one at %d", i, ok, at)
			}
		}
		if _, err := ParseSchema(pb.New(h.Schema), noLimits); err != nil {
			checkKind(t, err)
		}
	})
}

// FuzzBatch: entries and the messages in them.
func FuzzBatch(f *testing.F) {
	write := msg{}.str(2, "schema").sub(3, msg{}.str(2, "rows")).sub(8, msg{}.num(1, 1))
	f.Add([]byte(msg{}.sub(1, msg{}.num(1, 1).sub(2, msg{}.sub(1, opID(1, 2)).fixed64(2, 3).num(4, 3).sub(5, write)))))
	f.Add([]byte(msg{}.sub(1, msg{}.num(1, 1).sub(2, msg{}.sub(1, opID(1, 2)).fixed64(2, 3).num(4, 4).sub(6, msg{}.str(2, "").num(3, 1))))))
	f.Add([]byte(msg{}.sub(1, msg{}.num(1, 2).sub(3, msg{}.num(1, 3).sub(2, opID(1, 2)).sub(3, msg{}.sub(1, msg{}.sub(3, msg{}.num(1, 1)).sub(3, msg{}.num(2, 1).num(3, 1))))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		es, err := ParseEntries(nil, b)
		checkKind(t, err)
		for i := range es {
			e := &es[i]
			switch {
			case e.Type == EntryCommit:
				var r Result
				s := ParseResults(e.Body)
				for s.Next(&r) {
				}
				checkKind(t, s.Err())
			case e.Op == OpWrite:
				_, err = ParseWriteRequest(e.Body)
			case e.Op == OpAlterSchema:
				_, err = ParseAlterRequest(e.Body)
			}
			checkKind(t, err)
			if e.ID.Term < 0 || e.ID.Index < 0 {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// FuzzRowOps: operations take all of their bytes, and their strings lie where strings are.
func FuzzRowOps(f *testing.F) {
	f.Add([]byte{1, 7, 2, 1, 0, 0, 0}, []byte("abc"), uint8(3))
	f.Add(append([]byte{5, 6, 0, 0}, indirect(1, 2)...), []byte("abc"), uint8(0))
	f.Add([]byte{3, 1, 9, 0, 0, 0, 3, 1, 8, 0, 0, 0}, []byte{}, uint8(1))
	f.Fuzz(func(t *testing.T, rows, data []byte, kind uint8) {
		cols := []Column{{Name: "k", Type: cfilewire.Int32, Key: true}, {Name: "b", Type: cfilewire.Bool}, {Name: "s", Type: cfilewire.String, Nullable: kind&1 == 0}}
		if kind&2 == 0 {
			for i := range 9 {
				cols = append(cols, Column{Name: string(rune('0' + i)), Type: cfilewire.DataType(i), Nullable: kind&4 == 0})
			}
		}
		l := layoutOf(t, cols...)
		var o RowOps
		n, used := 0, 0
		for o.Open(l, rows, data); o.Next(); n++ {
			used += 1 + l.bitmap
			if l.nulls {
				used += l.bitmap
			}
			for i, c := range o.Cells {
				switch {
				case !c.Set || c.Null:
				case cols[i].Type.Binary():
					used += indirectSize
					if len(c.Value) > len(data) {
						t.Fatalf("%d bytes of %d", len(c.Value), len(data))
					}
				default:
					used += len(c.Value)
				}
			}
		}
		checkKind(t, o.Err())
		if o.Err() == nil && used != len(rows) {
			t.Fatalf("%d rows took %d bytes of %d", n, used, len(rows))
		}
	})
}
