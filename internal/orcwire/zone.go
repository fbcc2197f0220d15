package orcwire

import (
	"math"
	"sync"
	"time"
)

// Zone is a time zone as the writer of a stripe knew it (specification, "Timestamp Columns"): what its clocks showed at
// an instant. It is made to be asked for millions of instants, and never changes: share it freely.
//
// Files are written by Java, and its java.util.TimeZone is what turned clock times into the numbers of the file. It
// knows the time zone database from 1900 on; before, and this matters for getting the clock times back, clocks show the
// zone's standard offset of today, not local mean time.
type Zone struct {
	name  string
	epoch int64

	// Range i begins at starts[i] and has offsets[i]. The first begins before all time; behind the last stands an end
	// that no instant reaches.
	starts  []int64
	offsets []int32
	// buckets has for each 2^bucketBits seconds from zoneStart on the range of their first second.
	buckets []uint16
}

// The rules of a zone, whatever they are, repeat every 400 years: that is a whole number of weeks. So the table covers
// what has a history, 400 years more, and stands for all years behind them.
const (
	zoneStart  = -2208988800 // 1900-01-01T00:00:00Z
	zoneEnd    = 16725225600 // 2500-01-01T00:00:00Z
	zonePeriod = 146097 * 86400
	bucketBits = 22 // 48 days: rarely more than one change

	orcEpoch = 1420070400 // 2015-01-01T00:00:00Z
)

// UTC is the zone of stripes that name none, and of timestamps with local time zone.
var UTC = fixedZone("UTC", 0)

var zones sync.Map // of the time zone database, by name: *Zone

// LoadZone returns the zone that a stripe footer names; "" is UTC. Names are those of the time zone database, which the
// binary carries for machines without one, those that only Java knows ("CTT", "AST"), and offsets ("GMT+08:00",
// "UTC+8", "-03:30"). The error for others is plain: callers say what they were reading.
func LoadZone(name string) (*Zone, error) {
	if name == "" {
		return UTC, nil
	}
	if z, ok := zones.Load(name); ok {
		return z.(*Zone), nil
	}
	if off, ok := parseOffset(name); ok {
		return fixedZone(name, off), nil
	}
	loc, err := location(name)
	if err != nil {
		return nil, err
	}
	z, _ := zones.LoadOrStore(name, newZone(name, loc))
	return z.(*Zone), nil
}

func fixedZone(name string, offset int32) *Zone {
	return &Zone{name: name, epoch: orcEpoch - int64(offset), starts: []int64{math.MinInt64, math.MaxInt64}, offsets: []int32{offset}}
}

// newZone makes the table.
func newZone(name string, loc *time.Location) *Zone {
	z := &Zone{name: name, epoch: time.Date(2015, 1, 1, 0, 0, 0, 0, loc).Unix(), starts: []int64{math.MinInt64}, offsets: []int32{0}}
	for at := int64(zoneStart); at < zoneEnd; {
		t := time.Unix(at, 0).In(loc)
		_, off := t.Zone()
		if len(z.starts) == 1 || int32(off) != z.offsets[len(z.offsets)-1] {
			z.starts = append(z.starts, at)
			z.offsets = append(z.offsets, int32(off))
		}
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		// The last day of a leap year may lie behind the end that it is given.
		if next := end.Unix(); next > at {
			at = next
		} else {
			at += 86400
		}
	}
	// Standard time is the smaller offset of the last year, also where the law of the land sees it the other way round.
	std := z.offsets[len(z.offsets)-1]
	if n := len(z.offsets); n > 2 && z.starts[n-1] > zoneEnd-366*86400 {
		std = min(std, z.offsets[n-2])
	}
	if raw, ok := javaStandard[name]; ok {
		std = raw
	}
	z.offsets[0] = std
	if len(z.offsets) == 2 && std == z.offsets[1] {
		z.starts, z.offsets = z.starts[:1], z.offsets[:1]
	}
	z.starts = append(z.starts, math.MaxInt64)
	if len(z.offsets) > 1 {
		z.buckets = make([]uint16, (zoneEnd-zoneStart)>>bucketBits+1)
		r := 0
		for i := range z.buckets {
			for z.starts[r+1] <= zoneStart+int64(i)<<bucketBits {
				r++
			}
			z.buckets[i] = uint16(r)
		}
	}
	return z
}

// Instants returns a zone of the same epoch whose clocks show UTC: that of PrestoDB's files, whose seconds count from
// 2015-01-01 00:00:00 of a zone that they do not name, and are instants.
func (z *Zone) Instants() *Zone {
	return &Zone{name: z.name, epoch: z.epoch, starts: []int64{math.MinInt64, math.MaxInt64}, offsets: []int32{0}}
}

// String returns the name that the zone was loaded by.
func (z *Zone) String() string { return z.name }

// Fixed reports whether the zone always had one offset, in seconds.
func (z *Zone) Fixed() (offset int32, ok bool) { return z.offsets[0], len(z.offsets) == 1 }

// Epoch returns the instant at which clocks showed 2015-01-01 00:00:00, in seconds since 1970 UTC: what the seconds of
// timestamps are counted from.
func (z *Zone) Epoch() int64 { return z.epoch }

// Offset returns how many seconds clocks were ahead of UTC at an instant, in seconds since 1970 UTC.
func (z *Zone) Offset(instant int64) int32 {
	if len(z.offsets) == 1 || instant < zoneStart {
		return z.offsets[0]
	}
	if instant >= zoneEnd {
		instant = zoneEnd - zonePeriod + (instant-zoneEnd)%zonePeriod
	}
	r := z.buckets[(instant-zoneStart)>>bucketBits]
	for instant >= z.starts[r+1] {
		r++
	}
	return z.offsets[r]
}

// Local turns instants, in seconds since 1970 UTC, into what clocks showed at them, counted likewise. Sums that leave
// 64 bits wrap.
func (z *Zone) Local(secs []int64) {
	if off, ok := z.Fixed(); ok {
		if off != 0 {
			for i := range secs {
				secs[i] += int64(off)
			}
		}
		return
	}
	starts, offsets, buckets := z.starts, z.offsets, z.buckets
	for i, t := range secs {
		b := uint64(t-zoneStart) >> bucketBits
		if b >= uint64(len(buckets))-1 { // the last bucket is not all of the table's
			secs[i] = t + int64(z.Offset(t))
			continue
		}
		r := int(buckets[b])
		for t >= starts[r+1] {
			r++
		}
		secs[i] = t + int64(offsets[r])
	}
}
