package inspect

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

// Kinds of blocks.
const (
	dataBlock     placeKind = iota
	PositionBlock           // of the positional index
	ValueBlock              // of the value index
	dictionaryBlock
)

var placeNames = [...]string{"data", OpPositional, OpValue, "dictionary"}

func (k placeKind) String() string { return placeNames[k] }

// place is where a block lies.
type place struct {
	ptr   cfilewire.BlockPointer
	kind  placeKind
	depth uint8 // of a block of an index: 0 = its root
}

// Leaf is an entry of a leaf of an index.
type Leaf struct {
	Key []byte // of the value index
	Row int64  // of the positional index
	Ptr cfilewire.BlockPointer
	In  int64 // offset of the block of the index that has it
}

// Tree is what was found of an index.
type Tree struct {
	Kind   placeKind
	levels int
	blocks int
	bytes  int64
	Leaves []Leaf // in the order of the index
	Whole  bool   // nothing of it is missing
}

// Layout is where the blocks of a file lie, as its indexes and its footer say. Unlike positions and values it takes in
// what can be had of a damaged file.
type Layout struct {
	Pos, Val Tree
	Places   []place // by offset; a data block that both indexes have is there once
}

// surveyGrowth is how much larger than Limits.MetadataBytes a layout may be.
const (
	surveyGrowth = 12
	sizeOfLeaf   = 64 + 2*24
)

// Survey walks the indexes. fault is called with what is wrong with them, and for each entry of an inner block whose key
// is not the first of what it leads to; what it returns ends the survey.
func (f *File) Survey(ctx context.Context, fault func(error) error) (*Layout, error) {
	l := &Layout{Pos: Tree{Kind: PositionBlock}, Val: Tree{Kind: ValueBlock}}
	s := &surveyor{ctx: ctx, file: f, layout: l, fault: fault, seen: map[int64]bool{}, left: min(f.Limits.MetadataBytes, 1<<40) * surveyGrowth}
	for _, x := range []struct {
		root *cfilewire.BlockPointer
		tree *Tree
	}{{f.Footer.Pos, &l.Pos}, {f.Footer.Val, &l.Val}} {
		if x.root == nil {
			continue
		}
		s.tree, x.tree.Whole = x.tree, true
		if err := s.down(*x.root, 0, nil); err != nil {
			return nil, err
		}
	}
	for _, t := range []*Tree{&l.Pos, &l.Val} {
		for _, e := range t.Leaves {
			l.Places = append(l.Places, place{ptr: e.Ptr, kind: dataBlock})
		}
	}
	if p := f.Footer.Dict; p != nil {
		l.Places = append(l.Places, place{ptr: *p, kind: dictionaryBlock})
	}
	slices.SortStableFunc(l.Places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.ptr.Off, b.ptr.Off), cmp.Compare(a.ptr.Size, b.ptr.Size), cmp.Compare(a.kind, b.kind))
	})
	l.Places = slices.Compact(l.Places)
	return l, nil
}

// surveyor is one survey.
type surveyor struct {
	ctx    context.Context
	file   *File
	layout *Layout
	tree   *Tree
	fault  func(error) error
	seen   map[int64]bool // offsets of index blocks: none is visited twice, so cycles end
	left   int64
	full   bool // there was more than fits
	codec  blockcodec.Decoder
}

// bad notes a fault: the tree is not whole.
func (s *surveyor) bad(err error, what string, off int64) error {
	s.tree.Whole = false
	return s.fault(errs.Locate(cfilewire.Kinded(err), errs.At{Format: format, Op: what, Off: errs.N(off)}))
}

// down visits a block and what it leads to. want is the key that its first entry should have; nil = any.
func (s *surveyor) down(p cfilewire.BlockPointer, depth int, want []byte) error {
	if err := s.ctx.Err(); err != nil || s.full {
		return err
	}
	var err error
	switch op := s.tree.Kind.String(); {
	case depth == MaxDepth:
		return s.bad(errs.Errorf(errs.ErrCorrupt, "more than %d levels", depth), op, p.Off)
	case s.seen[p.Off]:
		return s.bad(errs.Errorf(errs.ErrCorrupt, "two ways lead to this block"), op, p.Off)
	default:
		if err = s.file.Footer.CheckPointer(p); err != nil {
			return s.bad(err, op, p.Off)
		}
	}
	s.seen[p.Off] = true
	s.layout.Places = append(s.layout.Places, place{ptr: p, kind: s.tree.Kind, depth: uint8(depth)})
	s.tree.levels = max(s.tree.levels, depth+1)
	s.tree.blocks++
	s.tree.bytes += int64(p.Size)
	if s.left -= sizeOfLeaf; s.left < 0 {
		return s.over(p.Off)
	}
	raw, err := s.file.ReadBlock(s.ctx, p, &s.codec)
	if err != nil {
		return s.bad(err, s.tree.Kind.String(), p.Off)
	}
	x, err := cfilewire.ParseIndex(raw)
	if err != nil {
		return s.bad(err, s.tree.Kind.String(), p.Off)
	}
	if x.Len() == 0 && (depth > 0 || !x.Leaf) {
		return s.bad(errs.Errorf(errs.ErrCorrupt, "a block of the index without entries"), s.tree.Kind.String(), p.Off)
	}
	for i := range x.Len() {
		key, ptr := x.Entry(i)
		if i == 0 && want != nil && !bytes.Equal(key, want) {
			err := errs.Errorf(errs.ErrCorrupt, "the first key is %x, by the block above it is %x", Brief(key), Brief(want))
			if err := s.bad(err, s.tree.Kind.String(), p.Off); err != nil {
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
	e := Leaf{Ptr: ptr, In: in}
	err := s.file.Footer.CheckPointer(ptr)
	if err == nil && s.tree.Kind == PositionBlock {
		var row uint32
		row, err = cfilewire.OrdinalKey(key)
		e.Row = int64(row)
	} else {
		e.Key = bytes.Clone(key)
	}
	if err != nil {
		return s.bad(err, fmt.Sprintf("%s, entry %d", s.tree.Kind, i), in)
	}
	s.tree.Leaves = append(s.tree.Leaves, e)
	return nil
}

func (s *surveyor) over(off int64) error {
	s.full = true
	err := errs.Errorf(errs.ErrLimit, "the indexes are over %d times the limit MetadataBytes = %d", surveyGrowth, s.file.Limits.MetadataBytes)
	return s.bad(err, s.tree.Kind.String(), off)
}

// Brief is the beginning of a key that is shown.
func Brief(b []byte) []byte { return b[:min(len(b), 32)] }

// IsFault reports whether an error is about the file, not about reading it.
func IsFault(err error) bool {
	var e *errs.Error
	return errors.As(err, &e)
}
