package orcwire

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Kind is what a type is.
type Kind uint8

// Kinds, by their numbers in files (specification, "Type Information"; the last three: orc_proto.proto).
const (
	Boolean Kind = iota
	Byte
	Short
	Int
	Long
	Float
	Double
	String
	Binary
	Timestamp
	List
	Map
	Struct
	Union
	Decimal
	Date
	Varchar
	Char
	TimestampInstant
	Geometry
	Geography
)

var kindNames = [...]string{
	Boolean:          "boolean",
	Byte:             "tinyint",
	Short:            "smallint",
	Int:              "int",
	Long:             "bigint",
	Float:            "float",
	Double:           "double",
	String:           "string",
	Binary:           "binary",
	Timestamp:        "timestamp",
	List:             "array",
	Map:              "map",
	Struct:           "struct",
	Union:            "uniontype",
	Decimal:          "decimal",
	Date:             "date",
	Varchar:          "varchar",
	Char:             "char",
	TimestampInstant: "timestamp with local time zone",
	Geometry:         "geometry",
	Geography:        "geography",
}

// String returns ORC's word for the kind, as in Type.String.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Compound reports whether types of this kind have children.
func (k Kind) Compound() bool { return k >= List && k <= Union }

// arity returns how many children a type of this kind may have.
func (k Kind) arity() (least, most int) {
	switch k {
	case List:
		return 1, 1
	case Map:
		return 2, 2
	case Struct:
		return 0, math.MaxInt
	case Union:
		return 1, math.MaxInt
	}
	return 0, 0
}

// Attribute is a key and a value that a writer attached to a type, such as Iceberg's ids.
type Attribute struct{ Key, Value string }

// Type is a node of the type tree. Ids number the nodes in pre-order: a type's subtree is the ids from ID to Last. A
// column of the file is a type's id.
type Type struct {
	ID            int
	Last          int // the highest id in the subtree
	Kind          Kind
	Parent        *Type // nil for the root
	Children      []*Type
	Names         []string    // of a struct's children, as long as Children; nil for other kinds
	MaxLength     uint32      // of char and varchar, in code points
	Precision     uint32      // of decimals; 0 where Hive 0.11 left it out
	Scale         uint32      // of decimals
	Assumed       Digits      // of decimals without precision, by whoever reads; zero = see DecimalType
	Attributes    []Attribute // in file order
	CRS           string      // of geometry and geography, "" = geoarrow.DefaultCRS
	EdgeAlgorithm uint8       // of geography: 0 spherical, 1 Vincenty, 2 Thomas, 3 Andoyer, 4 Karney
}

// Digits are the precision and the scale of decimals.
type Digits struct{ Precision, Scale int32 }

// DecimalType returns the precision and scale to present a decimal with: those of the type or, where Hive 0.11 gave none
// and each value has a scale of its own, those of Assumed, or (38, 10), which is what Hive and the Java reader make of it.
func (t *Type) DecimalType() (precision, scale int32) {
	if t.Precision == 0 {
		if t.Assumed.Precision > 0 {
			return t.Assumed.Precision, t.Assumed.Scale
		}
		if t.Scale != 0 {
			return 38, int32(t.Scale)
		}
		return 38, 10
	}
	return int32(t.Precision), int32(t.Scale)
}

// Edges returns the name of a geography's edge algorithm, in capitals.
func (t *Type) Edges() string {
	return geoarrow.AlgorithmName(int(t.EdgeAlgorithm))
}

// Attribute returns the value of a type's attribute, and whether it is there. Of a repeated key the first counts.
func (t *Type) Attribute(key string) (string, bool) {
	for _, a := range t.Attributes {
		if a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}

// RootName is the name of the one column of a file whose root is no struct.
const RootName = "_root"

// Name returns the type's name among its siblings: a struct's child has one of its own, a list's is "item", a map's are
// "key" and "value", a union's "_0", "_1" and so on. The root's is "" if it is a struct, else RootName.
func (t *Type) Name() string {
	p := t.Parent
	if p == nil {
		if t.Kind == Struct {
			return ""
		}
		return RootName
	}
	switch p.Kind {
	case List:
		return "item"
	case Map:
		if t == p.Children[0] {
			return "key"
		}
		return "value"
	}
	i := t.index()
	if p.Kind == Struct {
		return p.Names[i]
	}
	return unionName(i)
}

func unionName(i int) string { return "_" + strconv.Itoa(i) }

// index returns the type's position among its parent's children, whose ids increase.
func (t *Type) index() int {
	children := t.Parent.Children
	lo, hi := 0, len(children)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; children[mid].ID <= t.ID {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// Path returns the path of the type by the names from below the root down to it, as schemadiff.Path makes it. A struct that is the
// root has the path "".
func (t *Type) Path() string {
	var names []string
	for ; t != nil; t = t.Parent {
		if t.Parent != nil || t.Kind != Struct {
			names = append(names, t.Name())
		}
	}
	slices.Reverse(names)
	return schemadiff.Path(names...)
}

// String returns the type in ORC's own notation, as in "struct<a:int,b:array<decimal(10,2)>>". Names that are more than
// letters, digits and underscores stand in backquotes, those inside doubled.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Type) write(b *strings.Builder) {
	b.WriteString(t.Kind.String())
	switch t.Kind {
	case List, Map, Struct, Union:
		b.WriteByte('<')
		for i, c := range t.Children {
			if i > 0 {
				b.WriteByte(',')
			}
			if t.Kind == Struct {
				writeName(b, t.Names[i])
				b.WriteByte(':')
			}
			c.write(b)
		}
		b.WriteByte('>')
	case Decimal:
		if t.Precision > 0 {
			b.WriteString("(" + strconv.Itoa(int(t.Precision)) + "," + strconv.Itoa(int(t.Scale)) + ")")
		}
	case Varchar, Char:
		if t.MaxLength > 0 {
			b.WriteString("(" + strconv.FormatUint(uint64(t.MaxLength), 10) + ")")
		}
	case Geometry:
		b.WriteString("(" + t.crs() + ")")
	case Geography:
		b.WriteString("(" + t.crs() + "," + t.Edges() + ")")
	}
}

func (t *Type) crs() string {
	if t.CRS == "" {
		return geoarrow.DefaultCRS
	}
	return t.CRS
}

func writeName(b *strings.Builder, name string) {
	plain := name != ""
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if plain {
		b.WriteString(name)
		return
	}
	b.WriteString("`" + strings.ReplaceAll(name, "`", "``") + "`")
}
