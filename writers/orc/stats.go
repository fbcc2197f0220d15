package orc

import "github.com/arrowio/arrowio/internal/orcwire"

// collector has the statistics of one column (docs/formats/orc.md, "Statistics"): of the open row group, of the stripe,
// and of the file. Values come in through the concrete types, by the slice. What comes out is what Java's writer would
// say of the same values; where that is known to be wrong, the type says what is done instead.
type collector interface {
	// count adds rows to the open row group: how many values they have, and whether any is null.
	count(values int, nulls bool)
	// endGroup returns the statistics of the row group, adds them to the stripe's, and begins the next row group.
	endGroup() *orcwire.ColumnStats
	// endStripe returns the statistics of the stripe, whose streams of this column take so many bytes, adds them to the
	// file's, and begins the next stripe. What was counted since the last endGroup belongs to the stripe.
	endStripe(bytes int64) *orcwire.ColumnStats
	// file returns the statistics of all stripes that have ended.
	file() *orcwire.ColumnStats
}

// newCollector returns the collector of a type: *intStats, *doubleStats, *boolStats, *stringStats, *binaryStats,
// *decimalStats, *dateStats, *timestampStats, *collectionStats, *shapeStats, or *plainStats.
func newCollector(t *orcwire.Type) collector {
	switch t.Kind {
	case orcwire.Boolean:
		return new(boolStats)
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		return new(intStats)
	case orcwire.Float, orcwire.Double:
		return new(doubleStats)
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		return new(stringStats)
	case orcwire.Binary:
		return new(binaryStats)
	case orcwire.Geometry:
		return new(shapeStats)
	case orcwire.Decimal:
		return newDecimalStats(t)
	case orcwire.Date:
		return new(dateStats)
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return new(timestampStats)
	case orcwire.List, orcwire.Map:
		return new(collectionStats)
	}
	return new(plainStats)
}

// facts is what is known of values of a type, in one place.
type facts[F any] interface {
	*F
	merge(*F)                  // those of values that come behind
	tell(*orcwire.ColumnStats) // sets the part of the type; keeps no memory of the facts
	reset()                    // to no values
}

// levels keeps the same facts on all levels.
type levels[F any, P facts[F]] struct {
	group, stripe, whole level[F, P]
}

// The facts that nothing else names.
var (
	_ collector = (*levels[noFacts, *noFacts])(nil)
	_ collector = (*levels[boolFacts, *boolFacts])(nil)
	_ collector = (*levels[binaryFacts, *binaryFacts])(nil)
	_ collector = (*levels[collectionFacts, *collectionFacts])(nil)
	_ collector = (*levels[shapeFacts, *shapeFacts])(nil)
)

// level is what is known of a column in one place.
type level[F any, P facts[F]] struct {
	values int64
	bytes  int64
	nulls  bool
	facts  F
}

func (l *level[F, P]) told() *orcwire.ColumnStats {
	s := &orcwire.ColumnStats{
		HasValues: true, Values: l.values, HasNull: orcwire.No, HasBytes: l.bytes != 0, BytesOnDisk: l.bytes,
	}
	if l.nulls {
		s.HasNull = orcwire.Yes
	}
	P(&l.facts).tell(s)
	return s
}

// take moves what the level below has into this one.
func (l *level[F, P]) take(below *level[F, P]) {
	P(&l.facts).merge(&below.facts)
	l.values += below.values
	l.bytes += below.bytes
	l.nulls = l.nulls || below.nulls
	P(&below.facts).reset()
	below.values, below.bytes, below.nulls = 0, 0, false
}

func (s *levels[F, P]) count(values int, nulls bool) {
	s.group.values += int64(values)
	s.group.nulls = s.group.nulls || nulls
}

func (s *levels[F, P]) endGroup() *orcwire.ColumnStats {
	told := s.group.told()
	s.stripe.take(&s.group)
	return told
}

func (s *levels[F, P]) endStripe(bytes int64) *orcwire.ColumnStats {
	s.stripe.take(&s.group)
	s.stripe.bytes = bytes
	told := s.stripe.told()
	s.whole.take(&s.stripe)
	return told
}

func (s *levels[F, P]) file() *orcwire.ColumnStats { return s.whole.told() }

// plainStats is for types of which nothing but numbers of values and nulls is told: structs, unions, geographies.
type plainStats struct{ levels[noFacts, *noFacts] }

type noFacts struct{}

func (*noFacts) merge(*noFacts)            {}
func (*noFacts) tell(*orcwire.ColumnStats) {}
func (*noFacts) reset()                    {}
