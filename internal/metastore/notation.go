package metastore

import "strings"

// Notation returns columns as ORC writes types. Hive's differ in one: it may name a time zone in which clients show times.
func Notation(columns []Column) string {
	var b strings.Builder
	b.WriteString("struct<")
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("`" + strings.ReplaceAll(c.Name, "`", "``") + "`:" + withoutZone(c.Type))
	}
	return b.String() + ">"
}

func withoutZone(typ string) string {
	const timed = "timestamp with local time zone"
	for i := 0; ; {
		at := strings.Index(typ[i:], timed+"(")
		if at < 0 {
			return typ
		}
		i += at + len(timed)
		end := strings.IndexByte(typ[i:], ')')
		if end < 0 {
			return typ
		}
		typ = typ[:i] + typ[i+end+1:]
	}
}
