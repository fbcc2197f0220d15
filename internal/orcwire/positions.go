package orcwire

// Positions are the numbers of a row index entry, taken from the front by the streams that they are about
// (specification, "Row Group Index"). A stream in runs takes, in this order,
//
//	compressed: where its chunk starts, and how many bytes into what the chunk holds; else: how many bytes in
//	how many values into the run that starts there
//	booleans: how many bits into the byte
type Positions struct{ left []uint64 }

// NewPositions returns the positions p, which must not change while they are in use.
func NewPositions(p []uint64) *Positions { return &Positions{left: p} }

// Next takes the next number. ErrPosition: there is none.
func (p *Positions) Next() (uint64, error) {
	if len(p.left) == 0 {
		return 0, ErrPosition
	}
	n := p.left[0]
	p.left = p.left[1:]
	return n, nil
}

// Len returns how many numbers are left.
func (p *Positions) Len() int { return len(p.left) }

// values takes a number of values, or bits, to pass over.
func (p *Positions) values(most uint64) (int, error) {
	n, err := p.Next()
	if err == nil && n > most {
		err = ErrPosition
	}
	return int(n), err
}
