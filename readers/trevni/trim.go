package trevni

import (
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/keptrows"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// trims reports whether slots of a node can be let go of after they were read: those of flat values can, of which columns do not say where
// single ones stand.
func (n *node) trims() bool {
	for _, k := range n.children {
		if !k.trims() {
			return false
		}
	}
	return n.kind == trevniwire.Leaf || n.kind == trevniwire.Struct
}

// trim keeps of the last k slots those that stay.
func (n *node) trim(k int, kept *arrowbuf.Kept) {
	if n.field.Nullable {
		n.validity.Keep(k, kept)
	}
	n.n += kept.N - k
	n.batch.left.Add(int64(k-kept.N) * n.width)
	if n.kind == trevniwire.Leaf {
		n.batch.left.Add(n.leaf.trim(k, kept))
	}
	for _, c := range n.children {
		c.trim(k, kept)
	}
}

// readWindow appends the rows of a window.
func (t *root) readWindow(w *keptrows.Window) error {
	if w.Dense && t.node.trims() {
		if err := t.walk(w.Row, false); err != nil {
			return err
		}
		if err := t.walk(w.Row+int64(w.Len()), true); err != nil {
			return err
		}
		t.node.trim(w.Len(), &w.Kept)
		return nil
	}
	for from, to := range w.Kept.All() {
		if err := t.walk(w.Row+int64(from), false); err != nil {
			return err
		}
		if err := t.walk(w.Row+int64(to), true); err != nil {
			return err
		}
	}
	return nil
}

func (nullSink) trim(int, *arrowbuf.Kept) int64 { return 0 }

func (k *fixedSink[T]) trim(n int, kept *arrowbuf.Kept) int64 {
	k.vec.Keep(n, kept)
	return 0
}

func (k *varintSink[T]) trim(n int, kept *arrowbuf.Kept) int64 {
	k.vec.Keep(n, kept)
	return 0
}

func (k *boolSink) trim(n int, kept *arrowbuf.Kept) int64 {
	k.bits.Keep(n, kept)
	return 0
}

func (k *decimalSink[T]) trim(n int, kept *arrowbuf.Kept) int64 {
	k.vec.Keep(n, kept)
	return 0
}

func (k *bytesSink) trim(n int, kept *arrowbuf.Kept) int64 {
	before := k.data.Len()
	arrowbuf.KeepTexts(&k.offsets, n, kept, &k.data)
	k.checked = k.offsets.Len() - 1
	return int64(before - k.data.Len())
}

func (k *fixedBytesSink) trim(n int, kept *arrowbuf.Kept) int64 {
	w := k.width
	all := k.vec.Values()
	region := all[len(all)-n*w:]
	to := 0
	for from, end := range kept.All() {
		to += copy(region[to:], region[from*w:end*w])
	}
	k.vec.Shrink(len(region) - to)
	return 0
}
