package news

import "testing"

// What is told again at once is no news; what was gone for a round is.
func TestNews(t *testing.T) {
	var teller Teller
	for i, round := range []map[string]bool{{"a": true, "b": true}, {"a": false}, {"a": false, "b": true}, {}, {"a": true}} {
		r := teller.Begin()
		for text, want := range round {
			if got := r.New(text); got != want {
				t.Errorf("round %d: %s: %v", i, text, got)
			}
			if r.New(text) {
				t.Errorf("round %d: %s is told twice", i, text)
			}
		}
		r.End()
	}
}
