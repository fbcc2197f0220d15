package farread

import "testing"

type spans bool

func (s spans) ReadsSpans() bool { return bool(s) }

func TestSpans(t *testing.T) {
	if !Spans(spans(true)) || Spans(spans(false)) || Spans(1) || Spans(nil) {
		t.Error("a source says whether it reads spans; any other does not")
	}
}

func TestWhole(t *testing.T) {
	if n := Whole(t.Context()); n != 0 {
		t.Errorf("nobody said so, and it is %d", n)
	}
	if n := Whole(WithWhole(t.Context(), 7)); n != 7 {
		t.Errorf("%d, want 7", n)
	}
}
