package orcwire

import (
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// wantKind fails the test unless err is of a kind.
func wantKind(t *testing.T, what string, err error, kind errs.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want %s", what, err, kind.Error())
	}
}

// corruptEverywhere cuts a message at each byte, flips each bit, and sets each byte to the last value: parse may refuse,
// with an error that has a kind, and must not panic.
func corruptEverywhere(t *testing.T, b []byte, parse func(b []byte) error) {
	t.Helper()
	try := func(b []byte) {
		if err := parse(b); err != nil {
			var e *errs.Error
			if !errors.As(err, &e) || e.Kind == 0 {
				t.Fatalf("%x: %v has no kind", b, err)
			}
		}
	}
	for i := range b {
		try(b[:i:i])
		for bit := range 8 {
			c := append([]byte(nil), b...)
			c[i] ^= 1 << bit
			try(c)
		}
		c := append([]byte(nil), b...)
		c[i] = 0xff
		try(c)
	}
}
