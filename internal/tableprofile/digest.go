package tableprofile

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/caio/go-tdigest/v5"
)

const (
	compression = 200
	every       = 1 << 16 // values of which each is taken; then one of 2 until as many are taken again, then one of 4, and so on
	buffered    = 4096    // values that are sorted before they go into the t-digest, which is slow with single ones
	together    = 8       // neighbours among those that go into it as one
	atEnds      = 64      // values at each end of those that go into it alone
)

// digest finds quantiles of more values than are kept. Of many values it takes one at random of each 2, 4, 8 … that follow one another,
// so that the number that it takes grows with the logarithm of their number.
type digest struct {
	tree     *tdigest.TDigest
	random   *rand.Rand
	values   []float64 // of weight step, that are not in the tree
	step     int       // one of so many values is taken
	taken    int       // with this step
	pick     int       // which one of the step is taken
	at       int       // values of the step that have passed
	infinite [2]int64  // numbers of the negative and positive infinity, which the tree cannot have
	n        int64     // the weights of all that were taken
}

func newDigest() *digest {
	tree, _ := tdigest.New(tdigest.Compression(compression), tdigest.LocalRandomNumberGenerator(1)) // the options are fine
	return &digest{tree: tree, random: rand.New(rand.NewPCG(1, 2)), step: 1, values: make([]float64, 0, buffered)}
}

// insert puts a value of a weight into the tree.
func (d *digest) insert(v float64, weight int64) {
	d.n += weight
	switch {
	case math.IsInf(v, -1):
		d.infinite[0] += weight
	case math.IsInf(v, 1):
		d.infinite[1] += weight
	default:
		_ = d.tree.AddWeighted(v, uint64(weight)) // it fails for NaN and a weight of zero, which are not here
	}
}

// start adds one of the values that were counted before there were too many.
func (d *digest) start(v float64, count int64) {
	if count > together/2 {
		d.insert(v, count)
		return
	}
	for range count {
		d.add([]float64{v})
	}
}

// add adds values, none of which is NaN.
func (d *digest) add(values []float64) {
	for len(values) > 0 {
		if d.step == 1 {
			n := min(len(values), buffered-len(d.values), every-d.taken)
			d.take(values[:n]...)
			values = values[n:]
			continue
		}
		if d.at <= d.pick && d.pick-d.at < len(values) {
			d.take(values[d.pick-d.at])
		}
		n := min(d.step-d.at, len(values))
		d.at += n
		values = values[n:]
		if d.at == d.step {
			d.next()
		}
	}
}

// take keeps values of the weight step.
func (d *digest) take(values ...float64) {
	d.values = append(d.values, values...)
	d.taken += len(values)
	if len(d.values) == buffered {
		d.flush()
	}
	if d.step == 1 && d.taken == every {
		d.next()
	}
}

// next begins the next step.
func (d *digest) next() {
	if d.taken >= every && d.step < 1<<30 {
		d.flush()
		d.step, d.taken = 2*d.step, 0
	}
	d.at, d.pick = 0, d.random.IntN(d.step)
}

// flush puts the values that were kept into the tree.
func (d *digest) flush() {
	slices.Sort(d.values)
	for i := 0; i < len(d.values); {
		n := 1
		if i >= atEnds && i+together <= len(d.values)-atEnds {
			n = together
		}
		group := d.values[i : i+n]
		if group[0] == group[n-1] || math.IsInf(group[0], 0) || math.IsInf(group[n-1], 0) {
			n = 1
			for i+n < len(d.values) && d.values[i+n] == group[0] {
				n++
			}
			d.insert(group[0], int64(n*d.step))
		} else {
			mean := 0.0
			for _, v := range group {
				mean += v / float64(n)
			}
			d.insert(mean, int64(n*d.step))
		}
		i += n
	}
	d.values = d.values[:0]
}

// quantile returns about the value below which a share of the values are. There must be values.
func (d *digest) quantile(q float64) float64 {
	d.flush()
	rank := q * float64(d.n)
	low, high := float64(d.infinite[0]), float64(d.infinite[1])
	inside := float64(d.n) - low - high
	switch {
	case rank < low:
		return math.Inf(-1)
	case inside <= 0 || rank > low+inside:
		return math.Inf(1)
	}
	return d.tree.Quantile((rank - low) / inside)
}

// share returns about the share of the values that are not above v, which is finite.
func (d *digest) share(v float64) float64 {
	d.flush()
	n := float64(d.infinite[0])
	if inside := d.n - d.infinite[0] - d.infinite[1]; inside > 0 {
		n += max(0, min(1, d.tree.CDF(v))) * float64(inside)
	}
	return n / float64(d.n)
}
