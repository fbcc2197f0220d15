package flight

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// keepsKinds refuses a plan by which values of columns come back as ones of another kind, such as times of a day as numbers.
func keepsKinds(format string, p *arrowio.WritePlan) error {
	const instead = ": convert it by CAST, take another format, or accept it with the option losses = 'report'"
	for _, c := range p.Columns {
		lost := c.Loss
		if !otherKind(c.Type, lost) {
			if lost = textsRead(p); lost == "" || kindOf(c.Type) != "text" {
				continue
			}
		}
		return errs.Errorf(errs.ErrSchema, "column %q: in %s a value of type %s %s%s", c.Path, format, c.Type, lost, instead)
	}
	return nil
}

// textsRead says what becomes of texts in a format that has no types; "" = they stay.
func textsRead(p *arrowio.WritePlan) string {
	for _, k := range p.Metadata {
		if k.Key == "" && strings.Contains(k.Loss, "text that reads like numbers") {
			return comesBack + "what it reads like, perhaps a number or a date"
		}
	}
	return ""
}

const comesBack = "comes back as "

// otherKind reports whether a loss says that all values of a type, or of one inside of it, come back as ones of another kind.
func otherKind(of, loss string) bool {
	return slices.ContainsFunc(strings.Split(loss, "; "), func(part string) bool { return otherKindOnce(of, part) })
}

func otherKindOnce(of, loss string) bool {
	before, back, ok := strings.Cut(loss, comesBack)
	if !ok || back == "" {
		return false
	}
	if before != "" { // "in a: in b: ", of a field inside
		path := strings.Split(strings.TrimSuffix(before, ": "), ": in ")
		name := strings.TrimPrefix(path[len(path)-1], "in ") + ": "
		i := max(strings.LastIndex(of, "<"+name), strings.LastIndex(of, " "+name))
		if i < 0 {
			return true
		}
		of = of[i+1+len(name):]
	}
	back = strings.TrimPrefix(strings.TrimPrefix(back, "a "), "an ")
	if _, rest, _ := strings.Cut(back, " "); strings.HasPrefix(rest, "where ") { // only some values
		return false
	}
	from := kindOf(of)
	return from != "" && from != kindOf(back)
}

// kinds says what values of types are, by how the names of the types begin.
var kinds = map[string]string{
	"int": "integer", "uint": "integer", "float": "number", "double": "number", "decimal": "decimal", "bool": "boolean", "null": "null",
	"utf": "text", "large_utf": "text", "string": "text", "string_view": "text", "large_string": "text",
	"binary": "bytes", "large_binary": "bytes", "binary_view": "bytes", "fixed_size_binary": "bytes",
	"date": "date", "time": "time of a day", "timestamp": "timestamp", "duration": "duration",
	"month_interval": "interval", "day_time_interval": "interval", "month_day_nano_interval": "interval",
	"list": "list", "large_list": "list", "fixed_size_list": "list", "list_view": "list", "large_list_view": "list",
	"map": "map", "struct": "struct", "dense_union": "union", "sparse_union": "union",
}

// kindOf returns what values of a type are; "" = another type says it.
func kindOf(name string) string {
	end := strings.IndexFunc(name, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') })
	if end < 0 {
		end = len(name)
	}
	return kinds[strings.TrimRight(name[:end], "0123456789")]
}
