package encode

// Type is how values are stored.
type Type int32

// Types.
const (
	Boolean   Type = 0
	Int32     Type = 1
	Int64     Type = 2
	Float     Type = 4
	Double    Type = 5
	ByteArray Type = 6
	Fixed     Type = 7
)

// Repetition is how often a field stands in its group.
type Repetition int32

// Repetitions.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// Kind is what stored values mean.
type Kind uint8

// Kinds, with their number in the union LogicalType.
const (
	NoKind    Kind = 0
	String    Kind = 1
	Map       Kind = 2
	List      Kind = 3
	Enum      Kind = 4
	Decimal   Kind = 5
	Date      Kind = 6
	Time      Kind = 7
	Timestamp Kind = 8
	Interval  Kind = 9 // stored as a ConvertedType alone: the union has no such type
	Integer   Kind = 10
	Null      Kind = 11
	JSON      Kind = 12
	BSON      Kind = 13
	UUID      Kind = 14
	Float16   Kind = 15
	Geometry  Kind = 17
	Geography Kind = 18
)

// Unit is the unit of times, with its number in the union TimeUnit.
type Unit uint8

// Units.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// Logical is a logical type. The zero value is none.
type Logical struct {
	Kind      Kind
	Unit      Unit // Time, Timestamp
	UTC       bool // Time, Timestamp: an instant
	Bits      int8 // Integer
	Signed    bool // Integer
	Precision int32
	Scale     int32
	// Of Geometry and Geography: the coordinate reference system, and how edges run between points.
	CRS          string
	HasCRS       bool
	Algorithm    int32
	HasAlgorithm bool
}

// Element is a node of the schema; the nodes below it follow it.
type Element struct {
	Name       string
	Leaf       bool
	Type       Type  // of a leaf
	Width      int32 // of Fixed
	Repetition Repetition
	Children   int32 // of a group
	Logical    Logical
	FieldID    int32
	HasFieldID bool
}

// converted returns the ConvertedType, which older readers know, -1 = none.
func (l Logical) converted() int32 {
	switch l.Kind {
	case String:
		return 0
	case Map:
		return 1
	case List:
		return 3
	case Enum:
		return 4
	case Decimal:
		return 5
	case Date:
		return 6
	case Time:
		if l.UTC && l.Unit != Nanos {
			return 6 + int32(l.Unit)
		}
	case Timestamp:
		if l.UTC && l.Unit != Nanos {
			return 8 + int32(l.Unit)
		}
	case Integer:
		first := int32(11)
		if l.Signed {
			first = 15
		}
		switch l.Bits {
		case 16:
			first++
		case 32:
			first += 2
		case 64:
			first += 3
		}
		return first
	case JSON:
		return 19
	case BSON:
		return 20
	case Interval:
		return 21
	}
	return -1
}

func (l Logical) append(t *thrift, id int) {
	if l.Kind == NoKind || l.Kind == Interval {
		return
	}
	t.open(id)
	t.open(int(l.Kind))
	switch l.Kind {
	case Decimal:
		t.i32(1, l.Scale)
		t.i32(2, l.Precision)
	case Time, Timestamp:
		t.bool(1, l.UTC)
		t.open(2)
		t.empty(int(l.Unit))
		t.end()
	case Integer:
		t.i8(1, l.Bits)
		t.bool(2, l.Signed)
	case Geometry, Geography:
		if l.HasCRS {
			t.text(1, l.CRS)
		}
		if l.HasAlgorithm && l.Kind == Geography {
			t.i32(2, l.Algorithm)
		}
	}
	t.end()
	t.end()
}

func (e *Element) append(t *thrift, root bool) {
	if e.Leaf {
		t.i32(1, int32(e.Type))
		if e.Type == Fixed {
			t.i32(2, e.Width)
		}
	}
	if !root {
		t.i32(3, int32(e.Repetition))
	}
	t.text(4, e.Name)
	if !e.Leaf {
		t.i32(5, e.Children)
	}
	if c := e.Logical.converted(); c >= 0 {
		t.i32(6, c)
	}
	if e.Logical.Kind == Decimal {
		t.i32(7, e.Logical.Scale)
		t.i32(8, e.Logical.Precision)
	}
	if e.HasFieldID {
		t.i32(9, e.FieldID)
	}
	e.Logical.append(t, 10)
}
