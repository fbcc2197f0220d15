package decode

import "encoding/binary"

// FooterParts is what a file that is made of row groups of others takes over from a footer as it is stored. The slices are views of the
// bytes that were split.
type FooterParts struct {
	Version int32
	Schema  []byte   // the list of elements, with its header
	Orders  []byte   // the list of column orders, with its header; nil = there is none
	Groups  [][]byte // structures RowGroup
}

// SplitFooter divides FileMetaData. What is in the parts is not checked: ParseFooter does that.
func SplitFooter(b []byte) (*FooterParts, error) {
	t := thrift{b: b}
	p := &FooterParts{}
	for f := (field{}); t.next(&f); {
		start := t.pos
		switch f.id {
		case 1:
			p.Version = t.i32(f)
		case 2:
			t.skip(f)
			p.Schema = b[start:t.pos]
		case 4:
			if f.typ != typeList {
				t.fail(ErrThrift)
			}
			n, elem := t.listHeader()
			if n > 0 && elem != typeStruct {
				t.fail(ErrThrift)
			}
			for p.Groups = nil; n > 0 && t.err == nil; n-- {
				start := t.pos
				t.skipValue(typeStruct, true)
				p.Groups = append(p.Groups, b[start:t.pos])
			}
		case 7:
			t.skip(f)
			p.Orders = b[start:t.pos]
		default:
			t.skip(f)
		}
	}
	if p.Schema == nil {
		t.fail(ErrShort)
	}
	return p, t.err
}

// AppendFooter appends FileMetaData.
func AppendFooter(dst []byte, p *FooterParts, rows int64, metadata []KeyValue, createdBy string) []byte {
	dst = appendInt(append(dst, 1<<4|typeI32), int64(p.Version))
	dst = append(append(dst, 1<<4|typeList), p.Schema...)
	dst = appendInt(append(dst, 1<<4|typeI64), rows)
	dst = appendList(append(dst, 1<<4|typeList), len(p.Groups), typeStruct)
	for _, g := range p.Groups {
		dst = append(dst, g...)
	}
	last := byte(4)
	if len(metadata) > 0 {
		dst = appendList(append(dst, 1<<4|typeList), len(metadata), typeStruct)
		for _, kv := range metadata {
			dst = appendText(append(dst, 1<<4|typeBinary), kv.Key)
			dst = append(appendText(append(dst, 1<<4|typeBinary), kv.Value), typeStop)
		}
		last = 5
	}
	if createdBy != "" {
		dst = appendText(append(dst, (6-last)<<4|typeBinary), createdBy)
		last = 6
	}
	if p.Orders != nil {
		dst = append(append(dst, (7-last)<<4|typeList), p.Orders...)
	}
	return append(dst, typeStop)
}

// Place is what an offset in the metadata of a row group leads to.
type Place int8

// Places.
const (
	GroupPlace Place = iota // the first page of the row group
	ChunkPlace              // the column chunk, or metadata behind it: writers do not agree
	PagePlace               // pages of the chunk
	BloomPlace
	OffsetIndexPlace
	OffsetIndexSize // no place: the bytes of that index, which its offsets change
	ColumnIndexPlace
)

// AppendRowGroup appends a structure RowGroup with another number and other offsets: move returns them by the column's number, which is -1
// for GroupPlace. Everything else stays as it is.
func AppendRowGroup(dst, b []byte, ordinal int, move func(column int, to Place, off int64) int64) ([]byte, error) {
	r := rewriter{t: thrift{b: b}, dst: dst}
	t := &r.t
	for f := (field{}); t.next(&f); {
		switch {
		case f.id == 1 && f.typ == typeList:
			n, elem := t.listHeader()
			if n > 0 && elem != typeStruct {
				t.fail(ErrThrift)
			}
			for i := 0; i < n && t.err == nil; i++ {
				r.chunk(func(to Place, off int64) int64 { return move(i, to, off) })
			}
		case f.id == 5:
			r.int(f, func(off int64) int64 { return move(-1, GroupPlace, off) })
		case f.id == 7:
			r.int(f, func(int64) int64 { return int64(ordinal) })
		default:
			t.skip(f)
		}
	}
	return r.end()
}

// AppendOffsetIndex appends a structure OffsetIndex whose pages are so many bytes further on.
func AppendOffsetIndex(dst, b []byte, by int64) ([]byte, error) {
	r := rewriter{t: thrift{b: b}, dst: dst}
	t := &r.t
	for f := (field{}); t.next(&f); {
		if f.id != 1 || f.typ != typeList {
			t.skip(f)
			continue
		}
		n, elem := t.listHeader()
		if n > 0 && elem != typeStruct {
			t.fail(ErrThrift)
		}
		for ; n > 0 && t.err == nil; n-- {
			for p := (field{}); t.next(&p); {
				if p.id == 1 {
					r.int(p, func(off int64) int64 { return off + by })
				} else {
					t.skip(p)
				}
			}
		}
	}
	return r.end()
}

// rewriter copies a structure and replaces integers in it.
type rewriter struct {
	t    thrift
	dst  []byte
	kept int // bytes of t.b that are in dst, or were replaced
}

// int replaces an integer field.
func (r *rewriter) int(f field, by func(int64) int64) {
	start := r.t.pos
	v := r.t.int(f)
	if f.typ == typeByte {
		r.t.fail(ErrThrift)
	}
	if r.t.err != nil {
		return
	}
	r.dst = appendInt(append(r.dst, r.t.b[r.kept:start]...), by(v))
	r.kept = r.t.pos
}

func (r *rewriter) end() ([]byte, error) {
	return append(r.dst, r.t.b[r.kept:r.t.pos]...), r.t.err
}

// The fields of ColumnChunk and of ColumnMetaData that lead elsewhere.
var (
	chunkPlaces = map[int64]Place{2: ChunkPlace, 4: OffsetIndexPlace, 5: OffsetIndexSize, 6: ColumnIndexPlace}
	pagePlaces  = map[int64]Place{9: PagePlace, 10: PagePlace, 11: PagePlace, 14: BloomPlace}
)

// chunk rewrites a structure ColumnChunk.
func (r *rewriter) chunk(move func(to Place, off int64) int64) {
	t := &r.t
	for f := (field{}); t.next(&f); {
		if to, ok := chunkPlaces[f.id]; ok {
			r.int(f, func(off int64) int64 { return move(to, off) })
			continue
		}
		if f.id != 3 || f.typ != typeStruct {
			t.skip(f)
			continue
		}
		for m := (field{}); t.next(&m); {
			if to, ok := pagePlaces[m.id]; ok && m.typ == typeI64 {
				r.int(m, func(off int64) int64 { return move(to, off) })
			} else {
				t.skip(m)
			}
		}
	}
}

func appendInt(dst []byte, v int64) []byte {
	return binary.AppendUvarint(dst, uint64(v)<<1^uint64(v>>63))
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendList(dst []byte, n int, elem byte) []byte {
	if n < 15 {
		return append(dst, byte(n)<<4|elem)
	}
	return binary.AppendUvarint(append(dst, 15<<4|elem), uint64(n))
}
