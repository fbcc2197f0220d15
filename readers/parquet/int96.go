package parquet

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// The timestamps of older writers, INT96, are nanoseconds of the day, 8 bytes, and the Julian day, 4 bytes: more than
// nanoseconds in an int64 hold.

const (
	optionInt96        = "parquet-int96"
	optionMicroseconds = "parquet-microseconds"
	optionFiner        = "parquet-finer-digits"
)

var formatOptions = []arrowio.Option{
	{Name: optionInt96, Usage: "unit of timestamps stored as INT96; ns reaches from 1677 to 2262", Default: "ns", Values: []string{"ns", "us"}, Remote: true},
	{Name: optionMicroseconds, Usage: "a column stored as INT96 that is read in microseconds where others are read in nanoseconds", Repeated: true},
	{Name: optionFiner, Usage: "digits finer than the microseconds of --" + optionMicroseconds, Default: "cut", Values: []string{"cut", "error"}},
}

// int96Options says how INT96 is read.
type int96Options struct {
	unit    string   // of all columns: "ns", "us"; "" = nanoseconds, because no unit was asked for
	micros  []string // paths of columns that are read in microseconds where the unit is nanoseconds
	refused bool     // digits finer than these microseconds are an error; false = they are cut off
}

func int96Of(o arrowio.OpenOptions) (int96Options, error) {
	set, err := options.Check(formatOptions, o.Options)
	i := int96Options{
		unit: o.Options[optionInt96], micros: options.Values(set[optionMicroseconds]), refused: set[optionFiner] == "error",
	}
	if asked := o.Microseconds(); len(asked) > 0 && i.unit == "" {
		i.micros, i.refused = append(i.micros, asked...), o.Options[optionFiner] != "cut"
	}
	return i, err
}

// way returns how each column is read. paths and shown are the names of the columns, as Parquet has them and as they are shown;
// nil = not known yet. nil = they make no difference.
func (o int96Options) way(paths, shown []string) func(column int) int96Way {
	all := int96Nanos
	switch o.unit {
	case "us":
		all = int96Micros
	case "ns":
		all = int96OnlyNanos
	}
	named := int96Micros
	if o.refused {
		named = int96WholeMicros
	}
	isNamed := func(name string) bool { return slices.Contains(o.micros, name) }
	switch {
	case paths == nil:
		return func(int) int96Way { return all }
	case all == int96Micros || !slices.ContainsFunc(paths, isNamed) && !slices.ContainsFunc(shown, isNamed):
		return nil
	}
	return func(column int) int96Way {
		if isNamed(paths[column]) || isNamed(shown[column]) {
			return named
		}
		return all
	}
}

// int96Way is how a column of INT96 is read.
type int96Way uint8

const (
	int96Nanos       int96Way = iota
	int96OnlyNanos            // in nanoseconds, because somebody has asked for these
	int96Micros               // in microseconds; finer digits are cut off
	int96WholeMicros          // in microseconds; finer digits are an error
)

func (w int96Way) unit() arrow.TimeUnit {
	if w >= int96Micros {
		return arrow.Microsecond
	}
	return arrow.Nanosecond
}

const dayNanos int64 = 86_400_000_000_000

// convert makes timestamps of stored values.
func (w int96Way) convert(dst []uint64, src []byte) error {
	if w >= int96Micros {
		return w.micros(dst, src)
	}
	const far = math.MaxInt64/dayNanos - 2 // days that surely fit
	for i := range dst {
		day, inDay := int96At(src, i)
		if inDay < -dayNanos || inDay > 2*dayNanos {
			return noTimeOfDay(inDay)
		}
		if day <= far && day >= -far {
			dst[i] = uint64(day*dayNanos + inDay)
			continue
		}
		t, ok := nanosOf(day, inDay)
		if !ok {
			return w.beyond(day, inDay)
		}
		dst[i] = uint64(t)
	}
	return nil
}

// micros truncates towards the past.
func (w int96Way) micros(dst []uint64, src []byte) error {
	const far = math.MaxInt64/(dayNanos/1000) - 2
	for i := range dst {
		day, inDay := int96At(src, i)
		if inDay < -dayNanos || inDay > 2*dayNanos {
			return noTimeOfDay(inDay)
		}
		if day > far || day < -far {
			return errs.Errorf(errs.ErrSchema, "an INT96 timestamp on Julian day %d does not fit timestamp[us]", day+unixEpoch)
		}
		t := inDay / 1000
		if finer := inDay % 1000; finer != 0 {
			if w == int96WholeMicros {
				return errs.Errorf(errs.ErrSchema, "an INT96 timestamp has digits finer than a microsecond, and the column is read in microseconds; %w cuts such digits off", errs.Opt("parquet-int96", "us"))
			}
			if finer < 0 {
				t--
			}
		}
		dst[i] = uint64(day*(dayNanos/1000) + t)
	}
	return nil
}

const unixEpoch = 2440588 // the Julian day of 1970-01-01

// int96At returns the days since 1970 of a stored value, and the nanoseconds of its day, which some writers let reach into
// the days beside it.
func int96At(src []byte, i int) (day, inDay int64) {
	v := src[12*i:][:12]
	return int64(binary.LittleEndian.Uint32(v[8:])) - unixEpoch, int64(binary.LittleEndian.Uint64(v))
}

func noTimeOfDay(nanos int64) error {
	return corrupt("an INT96 timestamp with %d nanoseconds of the day", nanos)
}

// nanosOf returns nanoseconds since 1970; false = an int64 does not hold them.
func nanosOf(day, inDay int64) (int64, bool) {
	const most = math.MaxInt64 / dayNanos
	for ; inDay < 0; inDay += dayNanos {
		day--
	}
	for ; inDay >= dayNanos; inDay -= dayNanos {
		day++
	}
	switch {
	case day >= -most && day < most:
		return day*dayNanos + inDay, true
	case day == most:
		return day*dayNanos + inDay, inDay <= math.MaxInt64-most*dayNanos
	case day == -most-1:
		back := dayNanos - inDay // from the day behind
		return -most*dayNanos - back, back <= math.MaxInt64-most*dayNanos+1
	}
	return 0, false
}

// beyond is the error of a time that nanoseconds cannot hold.
func (w int96Way) beyond(day, inDay int64) error {
	at := time.Unix(day*86400, 0).UTC().Add(time.Duration(inDay)).Format("2006-01-02T15:04:05.999999999")
	if w == int96OnlyNanos {
		return errs.Errorf(errs.ErrSchema, "%s does not fit timestamp[ns]; %w can hold it", at, errs.Opt("parquet-int96", "us"))
	}
	return errs.Errorf(errs.ErrSchema, "%s %w; %w can hold it", at, errs.ErrBeyondNanoseconds, errs.Opt("timestamp-unit", "us"))
}

// BeyondNanoseconds returns the paths of columns that the file shows as timestamps in nanoseconds although it has times that
// these cannot hold, and of those of which only the values tell: all that are stored as INT96, which has no statistics.
func (f *parquetFile) BeyondNanoseconds() (beyond, unknown []string) {
	for _, n := range f.leaves {
		if n.elem.Type == decode.Int96 && n.int96 == int96Nanos && n.refused == "" && f.rows > 0 {
			unknown = append(unknown, f.shown[n.column])
		}
	}
	return nil, unknown
}
