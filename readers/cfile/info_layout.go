package cfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// placeKind is what a block is.
type placeKind uint8

const (
	dataBlock placeKind = iota
	positionBlock
	valueBlock
	dictionaryBlock
)

var placeNames = [...]string{"data", opPositional, opValue, "dictionary"}

func (k placeKind) String() string { return placeNames[k] }

// place is where a block lies.
type place struct {
	ptr   cfilewire.BlockPointer
	kind  placeKind
	depth uint8 // of a block of an index: 0 = its root
}

// leaf is an entry of a leaf of an index.
type leaf struct {
	key []byte // of the value index
	row int64  // of the positional index
	ptr cfilewire.BlockPointer
	in  int64 // offset of the block of the index that has it
}

// tree is what was found of an index.
type tree struct {
	kind   placeKind
	levels int
	blocks int
	bytes  int64
	leaves []leaf // in the order of the index
	whole  bool   // nothing of it is missing
}

// layout is where the blocks of a file lie, as its indexes and its footer say. Unlike positions and values it takes in
// what can be had of a damaged file.
type layout struct {
	pos, val tree
	places   []place // by offset; a data block that both indexes have is there once
}

// surveyGrowth is how much larger than Limits.MetadataBytes a layout may be.
const (
	surveyGrowth = 12
	sizeOfLeaf   = 64 + 2*24
)

// survey walks the indexes. fault is called with what is wrong with them, and for each entry of an inner block whose key
// is not the first of what it leads to; what it returns ends the survey.
func (f *Reader) survey(ctx context.Context, fault func(error) error) (*layout, error) {
	l := &layout{pos: tree{kind: positionBlock}, val: tree{kind: valueBlock}}
	s := &surveyor{ctx: ctx, file: f, layout: l, fault: fault, seen: map[int64]bool{}, left: min(f.limits.MetadataBytes, 1<<40) * surveyGrowth}
	for _, x := range []struct {
		root *cfilewire.BlockPointer
		tree *tree
	}{{f.footer.Pos, &l.pos}, {f.footer.Val, &l.val}} {
		if x.root == nil {
			continue
		}
		s.tree, x.tree.whole = x.tree, true
		if err := s.down(*x.root, 0, nil); err != nil {
			return nil, err
		}
	}
	for _, t := range []*tree{&l.pos, &l.val} {
		for _, e := range t.leaves {
			l.places = append(l.places, place{ptr: e.ptr, kind: dataBlock})
		}
	}
	if p := f.footer.Dict; p != nil {
		l.places = append(l.places, place{ptr: *p, kind: dictionaryBlock})
	}
	slices.SortStableFunc(l.places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.ptr.Off, b.ptr.Off), cmp.Compare(a.ptr.Size, b.ptr.Size), cmp.Compare(a.kind, b.kind))
	})
	l.places = slices.Compact(l.places)
	return l, nil
}

// surveyor is one survey.
type surveyor struct {
	ctx    context.Context
	file   *Reader
	layout *layout
	tree   *tree
	fault  func(error) error
	seen   map[int64]bool // offsets of index blocks: none is visited twice, so cycles end
	left   int64
	full   bool // there was more than fits
	codec  blockcodec.Decoder
}

// bad notes a fault: the tree is not whole.
func (s *surveyor) bad(err error, what string, off int64) error {
	s.tree.whole = false
	return s.fault(errs.Locate(kinded(err), errs.At{Format: Name, Op: what, Off: errs.N(off)}))
}

// down visits a block and what it leads to. want is the key that its first entry should have; nil = any.
func (s *surveyor) down(p cfilewire.BlockPointer, depth int, want []byte) error {
	if err := s.ctx.Err(); err != nil || s.full {
		return err
	}
	var err error
	switch op := s.tree.kind.String(); {
	case depth == maxIndexDepth:
		return s.bad(errs.Errorf(errs.ErrCorrupt, "more than %d levels", depth), op, p.Off)
	case s.seen[p.Off]:
		return s.bad(errs.Errorf(errs.ErrCorrupt, "two ways lead to this block"), op, p.Off)
	default:
		if err = s.file.footer.CheckPointer(p); err != nil {
			return s.bad(err, op, p.Off)
		}
	}
	s.seen[p.Off] = true
	s.layout.places = append(s.layout.places, place{ptr: p, kind: s.tree.kind, depth: uint8(depth)})
	s.tree.levels = max(s.tree.levels, depth+1)
	s.tree.blocks++
	s.tree.bytes += int64(p.Size)
	if s.left -= sizeOfLeaf; s.left < 0 {
		return s.over(p.Off)
	}
	raw, err := s.file.readBlock(s.ctx, p, &s.codec)
	if err != nil {
		return s.bad(err, s.tree.kind.String(), p.Off)
	}
	x, err := cfilewire.ParseIndex(raw)
	if err != nil {
		return s.bad(err, s.tree.kind.String(), p.Off)
	}
	if x.Len() == 0 && (depth > 0 || !x.Leaf) {
		return s.bad(errs.Errorf(errs.ErrCorrupt, "a block of the index without entries"), s.tree.kind.String(), p.Off)
	}
	for i := range x.Len() {
		key, ptr := x.Entry(i)
		if i == 0 && want != nil && !bytes.Equal(key, want) {
			err := errs.Errorf(errs.ErrCorrupt, "the first key is %x, by the block above it is %x", brief(key), brief(want))
			if err := s.bad(err, s.tree.kind.String(), p.Off); err != nil {
				return err
			}
		}
		if !x.Leaf {
			if err := s.down(ptr, depth+1, key); err != nil {
				return err
			}
			continue
		}
		if err := s.leaf(p.Off, i, key, ptr); err != nil || s.full {
			return err
		}
	}
	return nil
}

// leaf notes an entry.
func (s *surveyor) leaf(in int64, i int, key []byte, ptr cfilewire.BlockPointer) error {
	if s.left -= sizeOfLeaf + int64(len(key)); s.left < 0 {
		return s.over(in)
	}
	e := leaf{ptr: ptr, in: in}
	err := s.file.footer.CheckPointer(ptr)
	if err == nil && s.tree.kind == positionBlock {
		var row uint32
		row, err = cfilewire.OrdinalKey(key)
		e.row = int64(row)
	} else {
		e.key = bytes.Clone(key)
	}
	if err != nil {
		return s.bad(err, fmt.Sprintf("%s, entry %d", s.tree.kind, i), in)
	}
	s.tree.leaves = append(s.tree.leaves, e)
	return nil
}

func (s *surveyor) over(off int64) error {
	s.full = true
	err := errs.Errorf(errs.ErrLimit, "the indexes are over %d times the limit MetadataBytes = %d", surveyGrowth, s.file.limits.MetadataBytes)
	return s.bad(err, s.tree.kind.String(), off)
}

// brief is the beginning of a key that is shown.
func brief(b []byte) []byte { return b[:min(len(b), 32)] }

// isKind reports whether an error is about the file, not about reading it.
func isKind(err error) bool {
	var e *errs.Error
	return errors.As(err, &e)
}
