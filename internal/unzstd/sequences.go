package unzstd

// sequences is the state of the decoding of a block's sequences. A sequence is: so many literals, then so many bytes from so far back.
type sequences struct {
	states   [3]int // of the tables
	pos      int    // bits that are left
	repeats  [3]int // the last offsets
	from     int    // where in dst matches may begin
	out      int    // the next byte of dst
	limit    int    // the end of what may be written
	literal  int    // the next literal
	literals int    // how many there are
	left     int    // sequences
	window   int
	why      why
}

// why says why the assembly stopped for good.
type why int

const (
	whyCorrupt why = iota + 1
	whyLarge
	whyZero
)

// code describes what the numbers of a code of sequences are.
type code struct {
	usual    []int16 // counts that need not be said
	usualLog uint8
	mostLog  uint8
	values   []uint64 // entries by symbol: extra bits and base
}

const (
	litLengths = iota
	offsets
	matchLengths
)

var codes = [3]code{
	litLengths: {
		usual: []int16{
			4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
			-1, -1, -1, -1,
		},
		usualLog: 6, mostLog: 9,
		values: values(0, 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
	},
	offsets: {
		usual:    []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
		usualLog: 5, mostLog: 8,
		values: values(1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
			27, 28, 29, 30),
	},
	matchLengths: {
		usual: []int16{
			1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
		},
		usualLog: 6, mostLog: 9,
		values: values(3, 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
	},
}

// usual are the tables of the usual counts.
var usual = func() (t [3]fse) {
	for i := range t {
		t[i].build(codes[i].usual, uint(codes[i].usualLog), codes[i].values)
	}
	return t
}()

// values returns entries: plain numbers from base on, without extra bits, and then one for each of extra, each going on where the last
// ends.
func values(base uint64, plain int, extra ...uint64) []uint64 {
	var e []uint64
	for range plain {
		e = append(e, base<<fseBase)
		base++
	}
	for _, n := range extra {
		e = append(e, n<<fseExtra|base<<fseBase)
		base += 1 << n
	}
	return e
}

// open sets s to the start of the stream b.
func (s *sequences) open(d *Decoder, b []byte) bool {
	var r backward
	if !r.open(b) {
		return false
	}
	for i, log := range d.logs {
		s.states[i] = int(r.take(uint(log)))
	}
	s.pos = r.pos
	return r.pos >= 0
}

// run executes all sequences, whose stream is src[from:to].
func (d *Decoder) run(dst, src []byte, from, to int) error {
	b := backward{src: src[from:to]}
	s := &d.sequences
	for s.left > 0 {
		if err := d.fast(dst, src, from); err != nil {
			return err
		}
		b.pos = s.pos
		if err := d.one(dst, &b); err != nil {
			return err
		}
		s.pos = b.pos
		s.left--
	}
	if s.pos != 0 {
		return ErrCorrupt
	}
	return nil
}

// one executes a sequence.
func (d *Decoder) one(dst []byte, b *backward) error {
	s := &d.sequences
	var e [3]uint64
	var v [3]int
	for i := range e {
		e[i] = d.tables[i].entries[s.states[i]&(1<<mostFSELog-1)]
	}
	for _, i := range [3]int{offsets, matchLengths, litLengths} {
		v[i] = int(e[i]>>fseBase) + int(b.take(uint(e[i]>>fseExtra&255)))
	}
	if s.left > 1 {
		for _, i := range [3]int{litLengths, matchLengths, offsets} {
			s.states[i] = int(e[i]>>fseNext&0xffff) + int(b.take(uint(e[i]&255)))
		}
	}
	literal, match := v[litLengths], v[matchLengths]
	back := s.offset(v[offsets], literal == 0)
	switch {
	case b.pos < 0 || literal > s.literals-s.literal:
		return ErrCorrupt
	case literal+match > s.limit-s.out:
		return d.tooLarge
	}
	s.out += copy(dst[s.out:], d.literals[s.literal:s.literal+literal])
	s.literal += literal
	switch {
	case back == 0:
		return errZeroOffset
	case back > s.out || back > s.window:
		return ErrCorrupt
	}
	start := s.out - back
	for end := s.out + match; s.out < end; { // there is twice as much to copy after each turn
		s.out += copy(dst[s.out:end], dst[start:s.out])
	}
	return nil
}

// offset returns the offset that the number v stands for: 1 to 3 are the last ones, without literals before the match those
// from the second one on, and one less than the last.
func (s *sequences) offset(v int, bare bool) int {
	r := &s.repeats
	which := 3
	back := v - 3
	if v <= 3 {
		which = v - 1
		if bare {
			which++
		}
		if which < 3 {
			back = r[which]
		} else {
			back = r[0] - 1
		}
	}
	switch which {
	case 0:
	case 1:
		r[0], r[1] = back, r[0]
	default:
		r[0], r[1], r[2] = back, r[0], r[1]
	}
	return back
}
