package remote

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy says how often a request is tried, and how long one may take. The zero value is the default.
type Policy struct {
	Attempts int           // of one request; default 8
	Wait     time.Duration // before the second attempt, twice as long before each further one; default 200 ms
	MaxWait  time.Duration // default 10 s
	Stall    time.Duration // an attempt that gives no byte for so long has failed; default 30 s
}

// WithDefaults returns p with every zero field replaced by its default.
func (p Policy) WithDefaults() Policy {
	def(&p.Attempts, 8)
	def(&p.Wait, 200*time.Millisecond)
	def(&p.MaxWait, 10*time.Second)
	def(&p.Stall, 30*time.Second)
	return p
}

func def[T int | int64 | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}

// progressBytes is how much an attempt must have read before it failed for the attempts to be counted anew: a link that
// breaks now and then is used, one that gives hardly anything is given up.
const progressBytes = 1 << 20

// Retry calls attempt until it succeeds, says that trying again is of no use, or has failed too often without getting on.
// Between attempts it waits, ever longer, by chance a little less, so that many clients do not come back all at once. It
// returns how often the last stretch was tried and the last error; that of ctx, if it ended meanwhile.
func (p Policy) Retry(ctx context.Context, attempt func() (progress int64, again bool, err error)) (attempts int, err error) {
	wait := p.Wait
	for {
		if err := ctx.Err(); err != nil {
			return attempts, err
		}
		attempts++
		progress, again, err := attempt()
		if err == nil {
			return attempts, nil
		}
		if ctx.Err() != nil {
			return attempts, ctx.Err()
		}
		if progress >= progressBytes {
			attempts, wait = 1, p.Wait
		}
		if !again || attempts >= p.Attempts {
			return attempts, err
		}
		timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return attempts, ctx.Err()
		}
		wait = min(2*wait, p.MaxWait)
	}
}
