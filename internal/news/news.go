package news

import "sync"

// Teller knows what was told in the round before. The zero value has told nothing. It is safe for concurrent use.
type Teller struct {
	mu   sync.Mutex
	last map[string]bool
}

// Round is one time that the work is done. It is safe for concurrent use.
type Round struct {
	t   *Teller
	mu  sync.Mutex
	now map[string]bool
}

// Begin begins a round.
func (t *Teller) Begin() *Round { return &Round{t: t, now: map[string]bool{}} }

// New reports whether a text was told neither in this round nor in the one that ended last.
func (r *Round) New(text string) bool {
	r.mu.Lock()
	known := r.now[text]
	r.now[text] = true
	r.mu.Unlock()
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return !known && !r.t.last[text]
}

// End makes this round the one that ended last.
func (r *Round) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.t.last = r.now
	r.now = map[string]bool{}
}
