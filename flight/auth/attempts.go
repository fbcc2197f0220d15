package auth

import (
	"sync"
	"time"
)

// buckets lets each key do something a number of times a second.
type buckets struct {
	rate, burst float64
	mu          sync.Mutex
	by          map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newBuckets(rate, burst float64) *buckets {
	return &buckets{rate: rate, burst: burst, by: map[string]*bucket{}}
}

const maxBuckets = 4096

func (b *buckets) take(key string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.by[key]
	if k == nil {
		if len(b.by) >= maxBuckets {
			for name, old := range b.by {
				if old.left+now.Sub(old.at).Seconds()*b.rate >= b.burst {
					delete(b.by, name)
				}
			}
		}
		if len(b.by) >= maxBuckets { // so many that try at once have one bucket together
			key = ""
		}
		if k = b.by[key]; k == nil {
			k = &bucket{b.burst, now}
			b.by[key] = k
		}
	}
	k.left = min(b.burst, k.left+now.Sub(k.at).Seconds()*b.rate)
	k.at = now
	if k.left < 1 {
		return false
	}
	k.left--
	return true
}
