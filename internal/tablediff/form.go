package tablediff

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// kind says how values of a column are held while they are compared.
type kind uint8

const (
	kindNull   kind = iota // all values are null
	kindFixed              // width bytes
	kindFloat              // float64, or float32 where width is 4
	kindBytes              // text and bytes of any length
	kindList               // of child[0]
	kindStruct             // of children
	kindUnion              // of children, one of which a row has
)

// form is how values of two columns are held so that they can be compared.
type form struct {
	kind  kind
	width int
	child []*form
	load  [2]loader // of the two sides
	note  string    // what a user should know of how the values are compared; "" = nothing
}

// pairTypes returns the form for values of two types; why = the reason if they cannot be compared exactly.
func pairTypes(a, b arrow.DataType) (f *form, why string) {
	a, unwrapA := unwrap(a)
	b, unwrapB := unwrap(b)
	if f, why = pairPlain(a, b); f != nil {
		f.load[0], f.load[1] = unwrapA(f.load[0]), unwrapB(f.load[1])
	}
	return f, why
}

// unwrap returns the type of the values of dictionaries, runs and extensions, and what makes a loader of those one of these.
func unwrap(t arrow.DataType) (arrow.DataType, func(loader) loader) {
	switch x := t.(type) {
	case arrow.ExtensionType:
		return unwrap(x.StorageType())
	case *arrow.DictionaryType:
		inner, wrap := unwrap(x.ValueType)
		return inner, func(l loader) loader {
			return dictionaryLoader(x.IndexType.(arrow.FixedWidthDataType).Bytes(), wrap(l))
		}
	case *arrow.RunEndEncodedType:
		inner, wrap := unwrap(x.Encoded())
		return inner, func(l loader) loader { return runsLoader(x.RunEnds().(arrow.FixedWidthDataType).Bytes(), wrap(l)) }
	}
	return t, func(l loader) loader { return l }
}

func pairPlain(a, b arrow.DataType) (*form, string) {
	na, nb := a.ID() == arrow.NULL, b.ID() == arrow.NULL
	switch {
	case na && nb:
		return &form{kind: kindNull, load: both(loadNull)}, ""
	case na:
		f, why := pairPlain(b, b)
		if f != nil {
			f.load[0] = loadNull
		}
		return f, why
	case nb:
		f, why := pairPlain(a, a)
		if f != nil {
			f.load[1] = loadNull
		}
		return f, why
	}
	if f, why := pairNested(a, b); f != nil || why != "" {
		return f, why
	}
	ba, bb := bytesLoader(a), bytesLoader(b)
	wa, isFixedA := a.(*arrow.FixedSizeBinaryType)
	wb, isFixedB := b.(*arrow.FixedSizeBinaryType)
	switch {
	case isFixedA && isFixedB && wa.ByteWidth == wb.ByteWidth && wa.ByteWidth > 0:
		return fixed(wa.ByteWidth, loadRaw(wa.ByteWidth), loadRaw(wa.ByteWidth)), ""
	case ba != nil && bb != nil:
		return &form{kind: kindBytes, load: [2]loader{ba, bb}}, ""
	case a.ID() == arrow.BOOL && b.ID() == arrow.BOOL:
		return fixed(1, loadBool, loadBool), ""
	}
	if f := pairNumbers(a, b); f != nil {
		return f, ""
	}
	if f := pairTimes(a, b); f != nil {
		return f, ""
	}
	return nil, fmt.Sprintf("values of %s cannot be compared exactly with those of %s", a, b)
}

func both(l loader) [2]loader { return [2]loader{l, l} }

func fixed(width int, a, b loader) *form {
	return &form{kind: kindFixed, width: width, load: [2]loader{a, b}}
}

// pairNumbers pairs integers, floats and decimals; nil = a type is none of these, or they have no exact common form.
func pairNumbers(a, b arrow.DataType) *form {
	ia, ib := isInteger(a), isInteger(b)
	fa, fb := arrow.IsFloating(a.ID()), arrow.IsFloating(b.ID())
	da, isDecA := a.(arrow.DecimalType)
	db, isDecB := b.(arrow.DecimalType)
	switch {
	case ia && ib && a.ID() == b.ID():
		w := a.(arrow.FixedWidthDataType).Bytes()
		return fixed(w, loadRaw(w), loadRaw(w))
	case ia && ib && (a.ID() == arrow.UINT64 || b.ID() == arrow.UINT64):
		return fixed(16, wideInteger(a.ID()), wideInteger(b.ID()))
	case ia && ib:
		return fixed(8, integer(a.ID()), integer(b.ID()))
	case fa && fb && a.ID() == arrow.FLOAT32 && b.ID() == arrow.FLOAT32:
		return &form{kind: kindFloat, width: 4, load: both(loadRaw(4))}
	case fa && fb:
		return &form{kind: kindFloat, width: 8, load: [2]loader{float(a.ID()), float(b.ID())}}
	case ia && fb || fa && ib:
		return fixed(16, number(a.ID()), number(b.ID()))
	case isDecA && isDecB && a.ID() == b.ID() && da.GetScale() == db.GetScale():
		w := a.(arrow.FixedWidthDataType).Bytes()
		return fixed(w, loadRaw(w), loadRaw(w))
	case (isDecA || ia) && (isDecB || ib):
		scale := max(scaleOf(a), scaleOf(b))
		if scale-scaleOf(a) > mostScale || scale-scaleOf(b) > mostScale {
			return nil
		}
		return fixed(32, decimal(a, scale-scaleOf(a)), decimal(b, scale-scaleOf(b)))
	}
	return nil
}

// mostScale is the most digits by which a decimal is scaled: one of 38 digits has then no more than 76, which 256 bits hold.
const mostScale = 38

func scaleOf(t arrow.DataType) int32 {
	if d, ok := t.(arrow.DecimalType); ok {
		return d.GetScale()
	}
	return 0
}

func isInteger(t arrow.DataType) bool { return arrow.IsInteger(t.ID()) }

// pairTimes pairs dates, times, timestamps, durations and intervals with their own kind in any unit, and with integers by the
// numbers that are stored; nil = they have no common form.
func pairTimes(a, b arrow.DataType) *form {
	ka, ua := timeKind(a)
	kb, ub := timeKind(b)
	switch {
	case ka != "" && ka == kb && ua == ub && a.ID() == b.ID():
		w := a.(arrow.FixedWidthDataType).Bytes()
		f := fixed(w, loadRaw(w), loadRaw(w))
		if za, zb := zoneOf(a), zoneOf(b); (za == "") != (zb == "") {
			f.note = "one side has a time zone: stored times are compared as if they were both in UTC"
		}
		return f
	case ka != "" && ka == kb && ua > 0 && ub > 0:
		f := fixed(16, moment(a.ID(), ua), moment(b.ID(), ub))
		if za, zb := zoneOf(a), zoneOf(b); (za == "") != (zb == "") {
			f.note = "one side has a time zone: stored times are compared as if they were both in UTC"
		}
		return f
	case ka != "" && (ua > 0 || ka == "months") && isInteger(b), kb != "" && (ub > 0 || kb == "months") && isInteger(a):
		f := fixed(16, wideInteger(a.ID()), wideInteger(b.ID()))
		f.note = "the numbers that are stored are compared, whatever their unit"
		return f
	}
	return nil
}

func zoneOf(t arrow.DataType) string {
	if ts, ok := t.(*arrow.TimestampType); ok {
		return ts.TimeZone
	}
	return ""
}

// timeKind returns the kind of a temporal type, and how many of its unit make a second; 0 = it has no unit. A date32 counts days.
func timeKind(t arrow.DataType) (string, int64) {
	switch x := t.(type) {
	case *arrow.TimestampType:
		return "timestamp", perSecond(x.Unit)
	case *arrow.Time32Type:
		return "time", perSecond(x.Unit)
	case *arrow.Time64Type:
		return "time", perSecond(x.Unit)
	case *arrow.DurationType:
		return "duration", perSecond(x.Unit)
	case *arrow.Date32Type:
		return "date", days
	case *arrow.Date64Type:
		return "date", 1000
	case *arrow.MonthIntervalType:
		return "months", 0
	case *arrow.DayTimeIntervalType:
		return "daytime", 0
	case *arrow.MonthDayNanoIntervalType:
		return "monthdaynano", 0
	}
	return "", 0
}

// days stands for the unit of date32, of which moment knows that it is a day.
const days = 1

func perSecond(u arrow.TimeUnit) int64 {
	return map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}[u]
}

// pairNested pairs lists, maps, structs and unions; both results are empty if neither type is one.
func pairNested(a, b arrow.DataType) (*form, string) {
	ea, la := listOf(a)
	eb, lb := listOf(b)
	switch {
	case la != nil && lb != nil:
		item, why := pairTypes(ea, eb)
		if item == nil {
			return nil, "in their items, " + why
		}
		f := &form{kind: kindList, child: []*form{item}}
		f.load[0], f.load[1] = la(item.load[0]), lb(item.load[1])
		return f, ""
	case la != nil || lb != nil:
		return nil, fmt.Sprintf("values of %s cannot be compared with those of %s", a, b)
	}
	sa, isA := a.(*arrow.StructType)
	sb, isB := b.(*arrow.StructType)
	if isA && isB {
		return pairStructs(sa, sb)
	}
	xa, unionA := a.(arrow.UnionType)
	xb, unionB := b.(arrow.UnionType)
	if unionA && unionB {
		return pairUnions(xa, xb)
	}
	if isA || isB || unionA || unionB {
		return nil, fmt.Sprintf("values of %s cannot be compared with those of %s", a, b)
	}
	return nil, ""
}

// listOf returns what lists hold, and what makes a loader of items one of lists; nil = it is no list. A map is a list of structs.
func listOf(t arrow.DataType) (arrow.DataType, func(loader) loader) {
	switch x := t.(type) {
	case *arrow.MapType:
		return arrow.StructOf(
			arrow.Field{Name: "key", Type: x.KeyType()}, arrow.Field{Name: "value", Type: x.ItemType(), Nullable: true},
		), func(l loader) loader { return listLoader(4, l) }
	case *arrow.ListType:
		return x.Elem(), func(l loader) loader { return listLoader(4, l) }
	case *arrow.LargeListType:
		return x.Elem(), func(l loader) loader { return listLoader(8, l) }
	case *arrow.FixedSizeListType:
		return x.Elem(), func(l loader) loader { return fixedListLoader(int(x.Len()), l) }
	case *arrow.ListViewType:
		return x.Elem(), func(l loader) loader { return listViewLoader(4, l) }
	case *arrow.LargeListViewType:
		return x.Elem(), func(l loader) loader { return listViewLoader(8, l) }
	}
	return nil, nil
}

func pairStructs(a, b *arrow.StructType) (*form, string) {
	f := &form{kind: kindStruct}
	if a.NumFields() != b.NumFields() {
		return nil, fmt.Sprintf("%s and %s have not the same fields", a, b)
	}
	var order [2][]int
	var loads [2][]loader
	for i, x := range a.Fields() {
		j := slices.IndexFunc(b.Fields(), func(y arrow.Field) bool { return y.Name == x.Name })
		if j < 0 || slices.Contains(order[1], j) {
			return nil, fmt.Sprintf("%s and %s have not the same fields", a, b)
		}
		c, why := pairTypes(x.Type, b.Field(j).Type)
		if c == nil {
			return nil, "in their fields " + x.Name + ", " + why
		}
		f.child = append(f.child, c)
		order[0], order[1] = append(order[0], i), append(order[1], j)
		loads[0], loads[1] = append(loads[0], c.load[0]), append(loads[1], c.load[1])
	}
	f.load = [2]loader{structLoader(order[0], loads[0]), structLoader(order[1], loads[1])}
	return f, ""
}

func pairUnions(a, b arrow.UnionType) (*form, string) {
	f := &form{kind: kindUnion}
	if len(a.Fields()) != len(b.Fields()) {
		return nil, fmt.Sprintf("%s and %s have not the same members", a, b)
	}
	var loads [2][]loader
	for i, x := range a.Fields() {
		c, why := pairTypes(x.Type, b.Fields()[i].Type)
		if c == nil {
			return nil, "in a member of the unions, " + why
		}
		f.child = append(f.child, c)
		loads[0], loads[1] = append(loads[0], c.load[0]), append(loads[1], c.load[1])
	}
	f.load = [2]loader{unionLoader(a, loads[0]), unionLoader(b, loads[1])}
	return f, ""
}
