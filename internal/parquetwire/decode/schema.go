package decode

// Type is how values are stored.
type Type int8

// Types. Group is a node of the schema that stores nothing itself.
const (
	Boolean Type = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	Fixed
	Group Type = -1
)

var typeNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String returns the name that the specification has for t.
func (t Type) String() string {
	if t >= 0 && int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "GROUP"
}

// Repetition is how often a field stands in its group.
type Repetition int8

// Repetitions.
const (
	Required Repetition = iota
	Optional
	Repeated
)

// Kind is what stored values mean: the number of a LogicalType.
type Kind uint8

// Kinds. Those behind Geography are none of a LogicalType: they come from converted types alone.
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
	Interval  Kind = 9
	Integer   Kind = 10
	Null      Kind = 11
	JSON      Kind = 12
	BSON      Kind = 13
	UUID      Kind = 14
	Float16   Kind = 15
	Variant   Kind = 16
	Geometry  Kind = 17
	Geography Kind = 18
)

var kindNames = [...]string{
	"", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "INTEGER", "UNKNOWN", "JSON", "BSON", "UUID",
	"FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY",
}

// String returns the name that the specification has for k.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "a type that is not known here"
}

// Unit is the unit of times, with its number in the union TimeUnit.
type Unit uint8

// Units.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// Element is a node of the schema; the nodes below it follow it.
type Element struct {
	Name         string
	Type         Type
	Width        int32 // of Fixed
	Repetition   Repetition
	Children     int32
	Kind         Kind
	Unit         Unit // of Time and Timestamp
	UTC          bool // of Time and Timestamp: an instant
	Bits         int8 // of Integer
	Signed       bool // of Integer
	Precision    int32
	Scale        int32
	FieldID      int32
	HasFieldID   bool
	CRS          string // of Geometry and Geography: the coordinate reference system
	HasCRS       bool
	Algorithm    int32 // of Geography: how edges run between points
	HasAlgorithm bool
}

// converted are the kinds of the older ConvertedType, which a file without logical types has.
var converted = [...]Element{
	{Kind: String},
	{Kind: Map},
	{Kind: Map}, // MAP_KEY_VALUE
	{Kind: List},
	{Kind: Enum},
	{Kind: Decimal},
	{Kind: Date},
	{Kind: Time, Unit: Millis, UTC: true},
	{Kind: Time, Unit: Micros, UTC: true},
	{Kind: Timestamp, Unit: Millis, UTC: true},
	{Kind: Timestamp, Unit: Micros, UTC: true},
	{Kind: Integer, Bits: 8},
	{Kind: Integer, Bits: 16},
	{Kind: Integer, Bits: 32},
	{Kind: Integer, Bits: 64},
	{Kind: Integer, Bits: 8, Signed: true},
	{Kind: Integer, Bits: 16, Signed: true},
	{Kind: Integer, Bits: 32, Signed: true},
	{Kind: Integer, Bits: 64, Signed: true},
	{Kind: JSON},
	{Kind: BSON},
	{Kind: Interval},
}

func (t *thrift) element(e *Element) {
	e.Type = Group
	old := int32(-1)
	var precision, scale int32
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			v := t.i32(f)
			if v < 0 || int(v) >= len(typeNames) {
				t.fail(ErrThrift)
			}
			e.Type = Type(v)
		case 2:
			e.Width = t.i32(f)
		case 3:
			v := t.i32(f)
			if v < 0 || v > int32(Repeated) {
				t.fail(ErrThrift)
			}
			e.Repetition = Repetition(v)
		case 4:
			e.Name = string(t.bytes(f))
			t.charge(int64(len(e.Name)))
		case 5:
			e.Children = t.i32(f)
		case 6:
			old = t.i32(f)
		case 7:
			scale = t.i32(f)
		case 8:
			precision = t.i32(f)
		case 9:
			e.FieldID, e.HasFieldID = t.i32(f), true
		case 10:
			t.logical(f, e)
		default:
			t.skip(f)
		}
	}
	if e.Kind == NoKind && old >= 0 && int(old) < len(converted) {
		c := &converted[old]
		e.Kind, e.Unit, e.UTC, e.Bits, e.Signed = c.Kind, c.Unit, c.UTC, c.Bits, c.Signed
		e.Precision, e.Scale = precision, scale
	}
}

// logical reads a LogicalType, a union whose field says the kind.
func (t *thrift) logical(f field, e *Element) {
	for u := t.open(f); t.next(&u); {
		if u.id < 0 || u.id > 255 {
			t.skip(u)
			continue
		}
		e.Kind = Kind(u.id)
		for p := t.open(u); t.next(&p); {
			switch {
			case e.Kind == Decimal && p.id == 1:
				e.Scale = t.i32(p)
			case e.Kind == Decimal && p.id == 2:
				e.Precision = t.i32(p)
			case (e.Kind == Time || e.Kind == Timestamp) && p.id == 1:
				e.UTC = t.bool(p)
			case (e.Kind == Time || e.Kind == Timestamp) && p.id == 2:
				for x := t.open(p); t.next(&x); t.skip(x) {
					e.Unit = Unit(min(max(x.id, 0), 255))
				}
			case (e.Kind == Geometry || e.Kind == Geography) && p.id == 1:
				e.CRS, e.HasCRS = string(t.bytes(p)), true
				t.charge(int64(len(e.CRS)))
			case e.Kind == Geography && p.id == 2:
				e.Algorithm, e.HasAlgorithm = t.i32(p), true
			case e.Kind == Integer && p.id == 1:
				e.Bits = int8(t.i32(p))
			case e.Kind == Integer && p.id == 2:
				e.Signed = t.bool(p)
			default:
				t.skip(p)
			}
		}
	}
}
