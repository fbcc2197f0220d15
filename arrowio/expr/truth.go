package expr

// Truth is the set of outcomes that a predicate may have over a range of rows: a subset of {false, true, null}. If a bit is not
// set, no row has that outcome. If all bits are set, nothing is known.
type Truth uint8

// Outcomes.
const (
	CanBeFalse Truth = 1 << iota
	CanBeTrue
	CanBeNull

	Unknown = CanBeFalse | CanBeTrue | CanBeNull
)

// Skip reports whether no row passes the filter: CanBeTrue is not set.
func (t Truth) Skip() bool { return t&CanBeTrue == 0 }

// All reports whether every row passes the filter: only CanBeTrue is set.
func (t Truth) All() bool { return t == CanBeTrue }

// Not returns t with true and false exchanged.
func (t Truth) Not() Truth {
	return t&CanBeNull | (t&CanBeTrue)>>1 | (t&CanBeFalse)<<1
}

// And returns what a AND b may be if a may be t and b may be u.
func (t Truth) And(u Truth) Truth { return andTable[t&Unknown][u&Unknown] }

// Or returns what a OR b may be if a may be t and b may be u.
func (t Truth) Or(u Truth) Truth { return t.Not().And(u.Not()).Not() }

// String returns the outcomes, such as "true|null".
func (t Truth) String() string {
	s := ""
	for i, name := range [...]string{"false", "true", "null"} {
		if t>>i&1 != 0 {
			if s != "" {
				s += "|"
			}
			s += name
		}
	}
	if s == "" {
		return "none"
	}
	return s
}

// andTable lifts Kleene's AND from outcomes to sets of them: each outcome of one with each of the other.
var andTable = func() (table [8][8]Truth) {
	kleene := func(a, b Truth) Truth {
		switch {
		case a == CanBeFalse || b == CanBeFalse:
			return CanBeFalse
		case a == CanBeNull || b == CanBeNull:
			return CanBeNull
		}
		return CanBeTrue
	}
	for t := range Unknown + 1 {
		for u := range Unknown + 1 {
			for a := CanBeFalse; a <= CanBeNull; a <<= 1 {
				for b := CanBeFalse; b <= CanBeNull; b <<= 1 {
					if t&a != 0 && u&b != 0 {
						table[t][u] |= kleene(a, b)
					}
				}
			}
		}
	}
	return table
}()
