package expr

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"
)

// likePattern is a LIKE pattern cut at its % signs. Matching it takes time linear in the value for each piece, whatever
// the pattern: the leftmost place of a piece is always as good as a later one.
type likePattern struct {
	pieces []likePiece // of n % signs, n+1 pieces
	runes  bool        // _ is a code point rather than a byte
	prefix []byte      // what every match starts with
	exact  bool        // the pattern is the prefix and no more
	open   bool        // the pattern is the prefix and one %
	fold   bool        // the pattern is in folded case, and so must be the value
}

// likePiece is what stands between two % signs.
type likePiece struct {
	plain []byte   // the text, if it has no _
	elems [][]byte // else runs of plain text, and nil for each _
}

var errEscape = errors.New("the escape character of a pattern must precede one to escape")

func compileLike(pattern string, escape rune, runes bool) (*likePattern, error) {
	p := &likePattern{runes: runes}
	var piece likePiece
	var text []byte
	flush := func() {
		if len(text) > 0 {
			piece.elems = append(piece.elems, text)
			text = nil
		}
	}
	end := func() {
		flush()
		switch {
		case len(piece.elems) == 0:
			piece = likePiece{}
		case len(piece.elems) == 1 && piece.elems[0] != nil:
			piece = likePiece{plain: piece.elems[0]}
		}
		p.pieces = append(p.pieces, piece)
		piece = likePiece{}
	}
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		switch {
		case escape != 0 && r == escape && (r != utf8.RuneError || n > 1):
			i += n
			if i == len(pattern) {
				return nil, errEscape
			}
			_, n = utf8.DecodeRuneInString(pattern[i:])
			text = append(text, pattern[i:i+n]...)
		case r == '%':
			end()
		case r == '_':
			flush()
			piece.elems = append(piece.elems, nil)
		default:
			text = append(text, pattern[i:i+n]...)
		}
		i += n
	}
	end()
	p.pieces = dropEmptyMiddle(p.pieces)
	if first := p.pieces[0]; first.elems != nil {
		p.prefix = first.elems[0] // nil if it starts with _
	} else {
		p.prefix = first.plain
		p.exact = len(p.pieces) == 1
		p.open = len(p.pieces) == 2 && p.pieces[1].isEmpty()
	}
	return p, nil
}

// foldCase makes case count no more. What every match starts with ends where case begins.
func (p *likePattern) foldCase() {
	for n := 0; n < len(p.prefix); {
		r, size := utf8.DecodeRune(p.prefix[n:])
		if hasCase(r) {
			p.prefix = p.prefix[:n:n]
			break
		}
		n += size
	}
	for i := range p.pieces {
		piece := &p.pieces[i]
		if piece.plain != nil {
			piece.plain = appendFold(nil, piece.plain)
		}
		for j, text := range piece.elems {
			if text != nil {
				piece.elems[j] = appendFold(nil, text)
			}
		}
	}
	p.fold, p.exact, p.open = true, false, false
}

func (p likePiece) isEmpty() bool { return p.plain == nil && p.elems == nil }

// dropEmptyMiddle joins % signs that stand side by side.
func dropEmptyMiddle(pieces []likePiece) []likePiece {
	out := pieces[:0]
	for i, p := range pieces {
		if i == 0 || i == len(pieces)-1 || !p.isEmpty() {
			out = append(out, p)
		}
	}
	return out
}

func (p *likePattern) match(v []byte) bool {
	n, ok := p.at(p.pieces[0], v)
	if !ok {
		return false
	}
	if v = v[n:]; len(p.pieces) == 1 {
		return len(v) == 0
	}
	last := len(p.pieces) - 1
	for _, piece := range p.pieces[1:last] {
		n, ok := p.find(piece, v)
		if !ok {
			return false
		}
		v = v[n:]
	}
	return p.atEnd(p.pieces[last], v)
}

// at matches a piece at the start of v and tells the length of the match.
func (p *likePattern) at(piece likePiece, v []byte) (int, bool) {
	if piece.elems == nil {
		return len(piece.plain), bytes.HasPrefix(v, piece.plain)
	}
	n := 0
	for _, text := range piece.elems {
		switch {
		case text == nil && n == len(v):
			return 0, false
		case text == nil && p.runes:
			_, size := utf8.DecodeRune(v[n:])
			n += size
		case text == nil:
			n++
		case !bytes.HasPrefix(v[n:], text):
			return 0, false
		default:
			n += len(text)
		}
	}
	return n, true
}

// find matches a piece at its leftmost place in v and tells where the match ends.
func (p *likePattern) find(piece likePiece, v []byte) (int, bool) {
	if piece.elems == nil {
		i := bytes.Index(v, piece.plain)
		return i + len(piece.plain), i >= 0
	}
	for i := 0; i <= len(v); i += p.step(v[i:]) {
		if n, ok := p.at(piece, v[i:]); ok {
			return i + n, true
		}
	}
	return 0, false
}

// step is the length of the first character of v, at least 1.
func (p *likePattern) step(v []byte) int {
	if !p.runes || len(v) == 0 {
		return 1
	}
	_, n := utf8.DecodeRune(v)
	return n
}

// atEnd matches a piece at the end of v: it walks back from there over as many characters as the piece has.
func (p *likePattern) atEnd(piece likePiece, v []byte) bool {
	if piece.elems == nil {
		return bytes.HasSuffix(v, piece.plain)
	}
	for _, text := range slices.Backward(piece.elems) {
		switch {
		case text != nil:
			if !bytes.HasSuffix(v, text) {
				return false
			}
			v = v[:len(v)-len(text)]
		case len(v) == 0:
			return false
		case p.runes:
			_, n := utf8.DecodeLastRune(v)
			v = v[:len(v)-n]
		default:
			v = v[:len(v)-1]
		}
	}
	return true
}
