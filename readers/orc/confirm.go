package orc

import (
	"errors"
	"slices"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// Of a stripe, the positions of the last row group are confirmed, and those of so many others to which a scan jumps: each
// takes some microseconds a column, which is more than a hundredth of the time where a filter wants a row of each.
const confirmGroups = 2

// confirmRows bounds the rows of a row group whose positions are confirmed.
const confirmRows = 1 << 17

// confirm tests the positions of a row group at which the branch stands: from there, its rows must end where the next row
// group begins in every stream, or at the streams' ends. A wrong position that leads into its stream is seen by nothing
// else, and gives wrong rows. Positions have no checksum. The nodes stand where they stood when confirm returns nil.
//
// Only columns that have the whole row group in memory are tested: in one chunk of each stream, which is decompressed
// anyway to read a row, or in a few bytes. Nothing is fetched for it from a source that is far away.
func (g *branch) confirm(group int) error {
	s := g.tree.stripe
	stride := int64(s.file.footer.RowIndexStride)
	rows := min(stride, s.info.Rows-int64(group)*stride)
	if rows > confirmRows || g.confirmed >= confirmGroups && group+1 < s.groups() {
		return nil
	}
	g.confirmed++
	for _, r := range g.roots {
		in := r.streams()
		for _, x := range in {
			x.offline = !g.tree.near
		}
		err := r.confirm(in, group, rows)
		for _, x := range in {
			x.offline = false
		}
		if errors.Is(err, errOffline) {
			err = r.seekAll(group)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// covered reports whether the streams of a root have all of the row group in memory. The nodes stand at its start.
func (n *node) covered(streams []*input, group int) (bool, error) {
	for _, in := range streams {
		if !in.there {
			continue
		}
		end, inside := in.stream.len, int64(0)
		if group+1 < n.tree.stripe.groups() {
			entries, err := n.tree.stripe.entries(in.stream.column)
			if err != nil {
				return false, err
			}
			next, ok := position(entries, int64(group)+1, in.ordinal)
			if ok && n.tree.file.packing.Chunked {
				inside, ok = position(entries, int64(group)+1, in.ordinal+1)
			}
			if !ok || inside > 1<<32 {
				return false, orcwire.ErrPosition
			}
			end = next
		}
		if ok, err := in.Covers(end, inside); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// streams returns all streams of a root, in the order of standing.
func (n *node) streams() []*input {
	var out []*input
	for _, k := range n.all {
		out = append(append(out, &k.presence), k.ins...)
	}
	return out
}

// confirm passes over the rows of a row group, if all of it is in memory, and looks where that has led.
func (n *node) confirm(streams []*input, group int, rows int64) error {
	if ok, err := n.covered(streams, group); err != nil || !ok {
		return err
	}
	g := n.branch
	last := group+1 == n.tree.stripe.groups()
	g.next = g.next[:0]
	if !last {
		if err := n.seekAll(group + 1); err != nil {
			return err
		}
		g.next = n.standing(g.next)
		if err := n.seekAll(group); err != nil {
			return err
		}
	}
	n.brief(true, group)
	err := n.skip(rows)
	g.places = n.standing(g.places[:0])
	n.brief(false, group)
	if err != nil {
		return err
	}
	if last {
		for i, in := range streams {
			if in.there && !g.places[i].IsEnd(in.stream.len) {
				return orcwire.ErrPosition
			}
		}
	} else if !slices.EqualFunc(g.places, g.next, orcwire.Place.Is) {
		return orcwire.ErrPosition
	}
	return n.seekAll(group)
}

// seekAll moves a root, and all below it, to a row group.
func (n *node) seekAll(group int) error {
	for _, k := range n.all {
		if err := k.seek(group); err != nil {
			return err
		}
	}
	return nil
}

// standing appends where the decoders of a root stand in each stream.
func (n *node) standing(to []orcwire.Place) []orcwire.Place {
	for _, k := range n.all {
		to = k.content.standing(append(to, k.present.Place()))
	}
	return to
}

// brief has strings passed over by what the row index says of their bytes, so that their lengths need not be decoded.
func (n *node) brief(on bool, group int) {
	for _, k := range n.all {
		c, ok := k.content.(*stringValues)
		if d, kept := k.content.(*keptDictionary); kept {
			c, ok = d.stringValues, true
		}
		if ok {
			c.brief, c.sum = on, k.totalBytes(group)
		}
	}
}

// totalBytes returns how many bytes the strings of a row group have by its statistics; -1 = unknown.
func (n *node) totalBytes(group int) int64 {
	entries, err := n.tree.stripe.entries(n.typ.ID)
	if err != nil || !n.tree.file.quirks.StringStatsTrusted() {
		return -1
	}
	switch s, err := entries[group].ColumnStats(); {
	case err != nil:
	case s.String != nil && s.String.Sum != nil && *s.String.Sum >= 0:
		return *s.String.Sum
	case s.Binary != nil && s.Binary.Sum != nil && *s.Binary.Sum >= 0:
		return *s.Binary.Sum
	}
	return -1
}
