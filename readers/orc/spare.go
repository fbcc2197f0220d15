package orc

// spare is memory of stripes that are not in use any more, for those that come next: a file may have many short stripes of many columns.
type spare struct {
	streams []stream
	columns []int32
	dicts   []*dictionary
}

// Of the dictionaries of a file, so many that are no larger are kept.
const (
	spareDictionaries = 1 << 9
	spareDictionary   = 32 << 10
)

// take takes what it can of a stripe that nobody uses any more.
func (x *spare) take(s *stripe) {
	x.streams, x.columns = s.streams, s.columns
	s.streams, s.columns = nil, nil
	for _, d := range s.dicts {
		if len(x.dicts) < spareDictionaries && !d.lent && d.size() <= spareDictionary {
			x.dicts = append(x.dicts, d)
		}
	}
	clear(s.dicts)
}

// give hands over memory to a stripe that has not been opened yet.
func (x *spare) give(s *stripe) {
	s.streams, s.columns = x.streams, x.columns // as room
	x.streams, x.columns = nil, nil
}

// newDictionary returns a dictionary to be filled.
func (f *File) newDictionary() *dictionary {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := &f.spare
	n := len(x.dicts) - 1
	if n < 0 {
		return new(dictionary)
	}
	d := x.dicts[n]
	x.dicts[n] = nil
	x.dicts = x.dicts[:n]
	return d
}
