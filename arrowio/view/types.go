package view

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/inferred"
)

// clash is why two fields cannot be one: no type of ours holds all values of both, or equal values do not mean the same.
type clash struct {
	path string  // below the column: ".a.b"
	what string  // they do not agree in; "" = the type
	a, b string  // what they say of it
	text [2]bool // which of their types are text
}

func typeClash(a, b arrow.DataType) *clash {
	return &clash{a: a.String(), b: b.String(), text: [2]bool{bytesKind(a) == 's', bytesKind(b) == 's'}}
}

// joinFields returns the field that holds every value of a and of b, under a's name. What their metadata says in one
// voice stays.
func joinFields(a, b arrow.Field) (arrow.Field, *clash) {
	a, b, possible := inferred.Join(a, b)
	t, c := joinTypes(a.Type, b.Type)
	if c != nil {
		if c.path == "" && c.what == "" {
			c.a, c.b = typeText(a), typeText(b)
		}
		return a, c
	}
	e, c := joinExtensions(a, b)
	if c != nil {
		return a, c
	}
	f := arrow.Field{Name: a.Name, Type: t, Nullable: a.Nullable || b.Nullable, Metadata: e.onto(agreed(a, b), t)}
	if a.Type.ID() != b.Type.ID() && (a.Type.ID() == arrow.NULL || b.Type.ID() == arrow.NULL) {
		f = optional(f)
	}
	if possible != 0 {
		f = inferred.Mark(f, possible)
	}
	return f, nil
}

// agreed returns the entries of the metadata of a that b has, too. A field of nulls that says nothing agrees with everything.
func agreed(x, y arrow.Field) arrow.Metadata {
	a, b := x.Metadata, y.Metadata
	switch {
	case a.Equal(b) || y.Type.ID() == arrow.NULL && b.Len() == 0:
		return a
	case x.Type.ID() == arrow.NULL && a.Len() == 0:
		return b
	}
	var keys, values []string
	for i, k := range a.Keys() {
		if j := b.FindKey(k); j >= 0 && b.Values()[j] == a.Values()[i] {
			keys, values = append(keys, k), append(values, a.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// optional returns f such that it can be null. A union is null where the value of a branch is: one must be able to.
func optional(f arrow.Field) arrow.Field {
	f.Nullable = true
	if u, ok := f.Type.(arrow.UnionType); ok && !canBeNull(u) && len(u.Fields()) > 0 {
		fields := append([]arrow.Field{}, u.Fields()...)
		fields[0] = optional(fields[0])
		f.Type = unionOf(u.Mode(), fields, u.TypeCodes())
	}
	return f
}

// nullBranch returns the first branch of a union that can be null, -1 = none.
func nullBranch(u arrow.UnionType) int {
	for i, f := range u.Fields() {
		if (f.Nullable || f.Type.ID() == arrow.NULL) && canBeNull(f.Type) {
			return i
		}
	}
	return -1
}

// canBeNull tells whether a type has a null: unions have those of their branches alone.
func canBeNull(t arrow.DataType) bool {
	u, ok := t.(arrow.UnionType)
	return !ok || nullBranch(u) >= 0
}

func unionOf(mode arrow.UnionMode, fields []arrow.Field, codes []arrow.UnionTypeCode) arrow.DataType {
	if mode == arrow.SparseMode {
		return arrow.SparseUnionOf(fields, codes)
	}
	return arrow.DenseUnionOf(fields, codes)
}

// joinTypes returns the type that holds every value of a and of b.
func joinTypes(a, b arrow.DataType) (arrow.DataType, *clash) {
	if equalTypes(a, b) {
		return a, nil
	}
	switch x := a.(type) {
	case *arrow.StructType:
		if y, ok := b.(*arrow.StructType); ok {
			return joinStructs(x, y)
		}
	case *arrow.MapType:
		if y, ok := b.(*arrow.MapType); ok {
			return joinMaps(x, y)
		}
	case arrow.ListLikeType:
		if y, ok := b.(arrow.ListLikeType); ok && x.ID() == y.ID() {
			return joinLists(x, y)
		}
	case arrow.UnionType:
		if y, ok := b.(arrow.UnionType); ok {
			return joinUnions(x, y)
		}
	}
	if (a.ID() == arrow.EXTENSION || b.ID() == arrow.EXTENSION) && a.ID() != arrow.NULL && b.ID() != arrow.NULL {
		return joinTypes(arrowbuf.StorageType(a), arrowbuf.StorageType(b))
	}
	if t := joinFlat(a, b); t != nil {
		return t, nil
	}
	return a, typeClash(a, b)
}

func joinStructs(a, b *arrow.StructType) (arrow.DataType, *clash) {
	if arrow.TypeEqual(a, b) { // by place, because two children may have one name
		fields := make([]arrow.Field, a.NumFields())
		for i := range fields {
			var c *clash
			if fields[i], c = joinFields(a.Field(i), b.Field(i)); c != nil {
				c.path = "." + a.Field(i).Name + c.path
				return a, c
			}
		}
		return arrow.StructOf(fields...), nil
	}
	if twoOfOneName(a) || twoOfOneName(b) {
		return a, typeClash(a, b)
	}
	var fields []arrow.Field
	for _, f := range a.Fields() {
		i, ok := b.FieldIdx(f.Name)
		if !ok {
			fields = append(fields, optional(f))
			continue
		}
		j, c := joinFields(f, b.Field(i))
		if c != nil {
			c.path = "." + f.Name + c.path
			return a, c
		}
		fields = append(fields, j)
	}
	for _, f := range b.Fields() {
		if _, ok := a.FieldIdx(f.Name); !ok {
			fields = append(fields, optional(f))
		}
	}
	return arrow.StructOf(fields...), nil
}

func twoOfOneName(t *arrow.StructType) bool {
	seen := make(map[string]struct{}, t.NumFields())
	for _, f := range t.Fields() {
		seen[f.Name] = struct{}{}
	}
	return len(seen) < t.NumFields()
}

func joinMaps(a, b *arrow.MapType) (arrow.DataType, *clash) {
	key, c := joinFields(a.KeyField(), b.KeyField())
	if c == nil && key.Nullable && !a.KeyField().Nullable {
		c = typeClash(a.KeyType(), b.KeyType()) // keys of type null
	}
	if c != nil {
		c.path = "." + a.KeyField().Name + c.path
		return a, c
	}
	item, c := joinFields(a.ItemField(), b.ItemField())
	if c != nil {
		c.path = "." + a.ItemField().Name + c.path
		return a, c
	}
	m := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
	m.SetItemNullable(item.Nullable)
	m.KeysSorted = a.KeysSorted && b.KeysSorted
	return m, nil
}

func joinLists(a, b arrow.ListLikeType) (arrow.DataType, *clash) {
	e, c := joinFields(a.ElemField(), b.ElemField())
	if c != nil {
		c.path = "." + a.ElemField().Name + c.path
		return a, c
	}
	switch x := a.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(e), nil
	case *arrow.LargeListType:
		return arrow.LargeListOfField(e), nil
	case *arrow.ListViewType:
		return arrow.ListViewOfField(e), nil
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(e), nil
	case *arrow.FixedSizeListType:
		if y, ok := b.(*arrow.FixedSizeListType); ok && x.Len() == y.Len() {
			return arrow.FixedSizeListOfField(x.Len(), e), nil
		}
	}
	return a, typeClash(a, b)
}

// joinUnions joins branches in place: codes and names must be the same.
func joinUnions(a, b arrow.UnionType) (arrow.DataType, *clash) {
	same := a.Mode() == b.Mode() && len(a.Fields()) == len(b.Fields())
	for i := 0; same && i < len(a.Fields()); i++ {
		same = a.TypeCodes()[i] == b.TypeCodes()[i] && a.Fields()[i].Name == b.Fields()[i].Name
	}
	if !same {
		return a, typeClash(a, b)
	}
	fields := make([]arrow.Field, len(a.Fields()))
	for i, f := range a.Fields() {
		var c *clash
		if fields[i], c = joinFields(f, b.Fields()[i]); c != nil {
			c.path = "." + f.Name + c.path
			return a, c
		}
	}
	return unionOf(a.Mode(), fields, a.TypeCodes()), nil
}

// joinFlat returns the narrowest type that holds every value of both exactly; nil = none, or none whose values mean
// the same.
func joinFlat(a, b arrow.DataType) arrow.DataType {
	if arrow.TypeEqual(a, b) {
		return a
	}
	da, aDict := a.(*arrow.DictionaryType)
	db, bDict := b.(*arrow.DictionaryType)
	switch {
	case a.ID() == arrow.NULL:
		return b
	case b.ID() == arrow.NULL:
		return a
	case aDict && bDict:
		return joinPlain(da.ValueType, db.ValueType)
	case aDict:
		return joinPlain(da.ValueType, b)
	case bDict:
		return joinPlain(a, db.ValueType)
	}
	return joinPlain(a, b)
}

func joinPlain(a, b arrow.DataType) arrow.DataType {
	if arrow.TypeEqual(a, b) {
		return a
	}
	if x, y := numberOf(a), numberOf(b); x.bits > 0 && y.bits > 0 {
		return joinNumbers(x, y)
	}
	if k := bytesKind(a); k != 0 && k == bytesKind(b) {
		return k.large()
	}
	switch x := a.(type) {
	case arrow.DecimalType:
		if y, ok := b.(arrow.DecimalType); ok {
			return joinDecimals(x, y)
		}
	case *arrow.TimestampType:
		if y, ok := b.(*arrow.TimestampType); ok && x.TimeZone == y.TimeZone {
			return &arrow.TimestampType{Unit: max(x.Unit, y.Unit), TimeZone: x.TimeZone}
		}
	case *arrow.DurationType:
		if y, ok := b.(*arrow.DurationType); ok {
			return &arrow.DurationType{Unit: max(x.Unit, y.Unit)}
		}
	case *arrow.Time32Type, *arrow.Time64Type:
		return joinTimes(a, b)
	}
	return nil
}

// number is what a numeric type can hold.
type number struct {
	bits     int // of the type; 0 = it is no such type
	signed   bool
	float    bool
	mantissa int // bits of the integers that all of it can hold
}

func numberOf(t arrow.DataType) number {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		n := t.(arrow.FixedWidthDataType).BitWidth()
		return number{bits: n, signed: true, mantissa: n - 1}
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		n := t.(arrow.FixedWidthDataType).BitWidth()
		return number{bits: n, mantissa: n}
	case arrow.FLOAT16:
		return number{bits: 16, signed: true, float: true, mantissa: 11}
	case arrow.FLOAT32:
		return number{bits: 32, signed: true, float: true, mantissa: 24}
	case arrow.FLOAT64:
		return number{bits: 64, signed: true, float: true, mantissa: 53}
	}
	return number{}
}

func joinNumbers(a, b number) arrow.DataType {
	if a.float || b.float {
		switch m := max(a.mantissa, b.mantissa); {
		case m <= 11 && a.float && b.float:
			return arrow.FixedWidthTypes.Float16
		case m <= 24:
			return arrow.PrimitiveTypes.Float32
		case m <= 53:
			return arrow.PrimitiveTypes.Float64
		}
		return nil
	}
	signed := a.signed || b.signed
	types := [...]arrow.DataType{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64}
	if signed {
		types = [...]arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}
	}
	for _, t := range types {
		if n := numberOf(t); n.mantissa >= max(a.mantissa, b.mantissa) {
			return t
		}
	}
	return nil
}

// kind tells text from bytes.
type kind byte

func bytesKind(t arrow.DataType) kind {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return 's'
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return 'b'
	}
	return 0
}

func (k kind) large() arrow.DataType {
	if k == 's' {
		return arrow.BinaryTypes.LargeString
	}
	return arrow.BinaryTypes.LargeBinary
}

// joinDecimals keeps the digits of both, before the point and after it. A decimal of 256 bits comes only from one.
func joinDecimals(a, b arrow.DecimalType) arrow.DataType {
	scale := max(int64(a.GetScale()), int64(b.GetScale()))
	whole := max(int64(a.GetPrecision())-int64(a.GetScale()), int64(b.GetPrecision())-int64(b.GetScale()))
	switch p := whole + scale; {
	case p < 1:
		return nil
	case a.ID() == arrow.DECIMAL128 && b.ID() == arrow.DECIMAL128 && p <= 38:
		return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(scale)}
	case (a.ID() == arrow.DECIMAL256 || b.ID() == arrow.DECIMAL256) && p <= 76:
		return &arrow.Decimal256Type{Precision: int32(p), Scale: int32(scale)}
	}
	return nil
}

func joinTimes(a, b arrow.DataType) arrow.DataType {
	x, ok := timeUnit(a)
	y, ok2 := timeUnit(b)
	switch u := max(x, y); {
	case !ok || !ok2:
		return nil
	case u <= arrow.Millisecond:
		return &arrow.Time32Type{Unit: u}
	default:
		return &arrow.Time64Type{Unit: u}
	}
}

// timeUnit is the unit of a type that counts time.
func timeUnit(t arrow.DataType) (arrow.TimeUnit, bool) {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit, true
	case *arrow.DurationType:
		return t.Unit, true
	case *arrow.Time32Type:
		return t.Unit, true
	case *arrow.Time64Type:
		return t.Unit, true
	}
	return 0, false
}
