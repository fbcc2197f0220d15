package orcwire

import (
	"errors"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Version 1 (specification, "Integer Run Length Encoding, version 1"):
//
//	control 0…127      control+3 values: a byte, the signed step, and the first value as a varint
//	control -1…-128    so many varints
//
// Varints are zig-zag coded where the values are signed. What overflows 64 bits wraps.

// run1 is a run of version 1.
type run1 struct {
	n       int
	literal bool
	first   uint64
	step    uint64
	used    int // bytes, of literals only that of the control
}

// header1 reads the header of the next run, all of which is visible then unless it is of literals.
func (r *Ints[T]) header1() (h run1, err error) {
	for {
		if lim := len(r.b.win); lim > 0 {
			s := r.b.readable()
			if c := int(int8(s[0])); c < 0 {
				return run1{n: -c, literal: true, used: 1}, nil
			}
			first, k := uvarint(s[2:])
			if k == 0 && lim >= 2+bitpack.MaxVarint64 {
				return h, ErrRun
			}
			if k > 0 && 2+k <= lim {
				if r.signed {
					first = unzigzag(first)
				}
				return run1{n: int(s[0]) + minRepeat, first: first, step: uint64(int8(s[1])), used: 2 + k}, nil
			}
		}
		if err := r.grow(); err != nil {
			return h, err
		}
	}
}

// next1 decodes a run.
func (r *Ints[T]) next1(dst []T) (int, error) {
	h, err := r.header1()
	if err != nil {
		return 0, err
	}
	out := r.target(dst, h.n)
	if h.literal {
		err = r.literals(out)
	} else {
		err = r.steps(out, h.first, h.step)
		r.b.win = r.b.win[h.used:]
	}
	if err != nil {
		return 0, err
	}
	return r.done(dst, out), nil
}

// steps fills out with values that differ by step.
func (r *Ints[T]) steps(out []T, first, step uint64) error {
	if !r.stepsFit(len(out), first, step) {
		return ErrRange
	}
	v, d := T(first), T(step)
	if d == 0 {
		fill(out, v)
		return nil
	}
	for ; len(out) >= 8; out = out[8:] {
		q := (*[8]T)(out)
		q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7] = v, v+d, v+2*d, v+3*d, v+4*d, v+5*d, v+6*d, v+7*d
		v += 8 * d
	}
	for i := range out {
		out[i] = v
		v += d
	}
	return nil
}

// stepsFit reports whether T holds n values, each a step from the one before.
func (r *Ints[T]) stepsFit(n int, first, step uint64) bool {
	// The values lie between the first and the last. A step too large for that to be told from what wraps takes the
	// second value out of any narrow type.
	const far = 1 << 33
	last := first + uint64(n-1)*step
	return r.most == ^uint64(0) || r.fits(first) && r.fits(last) && (n < 2 || step+far <= 2*far)
}

// literals decodes varints, which the control byte at the start of the window announces.
func (r *Ints[T]) literals(out []T) error {
	d, whole := any(out).([]int64)
	if !whole {
		d = r.b.shared.wide[:len(out)]
	}
	for {
		lim := len(r.b.win) - 1
		n, err := r.varints(d, r.b.readable()[1:])
		if err != nil || n > lim {
			// What is behind the window decides nothing.
			n, err = r.varints(d, r.b.win[1:])
		}
		if err == nil {
			r.b.win = r.b.win[1+n:]
			break
		}
		if !errors.Is(err, bitpack.ErrShort) {
			return ErrRun
		}
		if err := r.grow(); err != nil {
			return err
		}
	}
	if whole {
		return nil
	}
	return r.narrow(out, d)
}

func (r *Ints[T]) varints(dst []int64, src []byte) (int, error) {
	if r.signed {
		return bitpack.DecodeZigzag(dst, src)
	}
	return bitpack.DecodeUvarints(dst, src)
}

// skip1 passes over at most n values of the next run.
func (r *Ints[T]) skip1(n int) (int, error) {
	h, err := r.header1()
	if err != nil {
		return 0, err
	}
	if h.n > n { // the rest of it comes next
		out := r.target(nil, h.n)
		if h.literal {
			err = r.literals(out)
		} else {
			err = r.steps(out, h.first, h.step)
			r.b.win = r.b.win[h.used:]
		}
		r.rest = out[n:]
		return n, err
	}
	for h.literal {
		k, err := bitpack.SkipVarints[int64](r.b.win[1:], h.n)
		if err == nil {
			h.used += k
			break
		}
		if !errors.Is(err, bitpack.ErrShort) {
			return 0, ErrRun
		}
		if err := r.grow(); err != nil {
			return 0, err
		}
	}
	r.b.win = r.b.win[h.used:]
	return h.n, nil
}
