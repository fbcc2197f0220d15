package kudu

import (
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// impalaTypes are the types of columns in Impala, but for those that have parameters.
var impalaTypes = map[cfilewire.DataType]string{
	cfilewire.Int8: "TINYINT", cfilewire.Int16: "SMALLINT", cfilewire.Int32: "INT", cfilewire.Int64: "BIGINT", cfilewire.String: "STRING",
	cfilewire.Bool: "BOOLEAN", cfilewire.Float: "FLOAT", cfilewire.Double: "DOUBLE", cfilewire.Binary: "BINARY",
	cfilewire.UnixtimeMicros: "TIMESTAMP", cfilewire.Date: "DATE",
}

// impalaPrefix begins the names of the tables that Impala has made.
const impalaPrefix = "impala::"

// impala makes the CREATE TABLE.
func (d *definer) impala() {
	var b strings.Builder
	name := impalaName(d.table)
	if db, table, ok := strings.Cut(strings.TrimPrefix(d.table, impalaPrefix), "."); ok && strings.HasPrefix(d.table, impalaPrefix) {
		name = impalaName(db) + "." + impalaName(table)
	}
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", name)
	if strings.Contains(d.table, "`") {
		d.note("Impala cannot write the name of the table, which has a backtick")
	}
	var keys []string
	for i := range d.columns {
		c := &d.columns[i]
		if c.Array {
			continue
		}
		fmt.Fprintf(&b, "  %s,\n", d.impalaColumn(c))
		if strings.Contains(c.Name, "`") {
			d.note("column %s: Impala cannot write its name, which has a backtick", c.Name)
		}
		if c.Key {
			keys = append(keys, impalaName(c.Name))
		}
	}
	fmt.Fprintf(&b, "  PRIMARY KEY (%s)\n)\n", strings.Join(keys, ", "))
	if parts := d.impalaPartitions(); parts != "" {
		fmt.Fprintf(&b, "PARTITION BY %s\n", parts)
	}
	b.WriteString("STORED AS KUDU")
	if d.replicas > 0 {
		fmt.Fprintf(&b, "\nTBLPROPERTIES ('kudu.num_tablet_replicas' = '%d')", d.replicas)
	}
	b.WriteString(";\n")
	d.out.Impala = b.String()
}

func (d *definer) impalaColumn(c *kuduwire.Column) string {
	words := []string{impalaName(c.Name), d.impalaType(c)}
	switch {
	case c.Key:
	case c.Nullable:
		words = append(words, "NULL")
	default:
		words = append(words, "NOT NULL")
	}
	if e := toolEncodings[c.Encoding]; e != "" {
		words = append(words, "ENCODING "+e)
	}
	if z := toolCompressions[c.Compression.String()]; z != "" {
		words = append(words, "COMPRESSION "+z)
	}
	if c.WriteDefault != nil && !c.Key {
		if text, ok := impalaLiteral(c, c.WriteDefault); ok {
			words = append(words, "DEFAULT "+text)
		} else {
			d.note("column %s: Impala cannot be given its default, %s", c.Name, cellText(c, c.WriteDefault))
		}
	}
	if c.BlockSize > 0 {
		words = append(words, fmt.Sprintf("BLOCK_SIZE %d", c.BlockSize))
	}
	if c.Comment != "" {
		words = append(words, "COMMENT "+impalaText(c.Comment))
	}
	return strings.Join(words, " ")
}

func (d *definer) impalaType(c *kuduwire.Column) string {
	switch {
	case c.Type.Decimal() > 0:
		return fmt.Sprintf("DECIMAL(%d, %d)", c.Precision, c.Scale)
	case c.Type == cfilewire.Varchar:
		return fmt.Sprintf("VARCHAR(%d)", c.Length)
	}
	if t, ok := impalaTypes[c.Type]; ok {
		return t
	}
	d.note("column %s: Impala has no type for %s", c.Name, c.Type)
	return strings.ToUpper(c.Type.String())
}

func (d *definer) impalaPartitions() string {
	if d.parts == nil {
		return ""
	}
	var parts []string
	for _, h := range d.parts.Hash {
		parts = append(parts, fmt.Sprintf("HASH (%s) PARTITIONS %d", impalaNames(d.names(h.Columns)), h.Buckets))
	}
	var ranges []string
	for i := range d.ranges {
		p := &d.ranges[i]
		if len(p.Lower)+len(p.Upper) == 0 {
			continue
		}
		text, ok := d.impalaRange(p)
		if own := d.own(p); ok && own != nil {
			d.note("the range %s has hashes of its own, which Impala gives to no range: it gets those of the table", text)
		}
		if ok {
			ranges = append(ranges, "  "+text)
		}
	}
	if len(ranges) > 0 {
		parts = append(parts, fmt.Sprintf("RANGE (%s) (\n%s\n)", impalaNames(d.names(d.parts.Range)), strings.Join(ranges, ",\n")))
	}
	return strings.Join(parts, ", ")
}

// impalaRange is a range in SQL. Impala compares one column only.
func (d *definer) impalaRange(p *kuduwire.Partition) (string, bool) {
	if len(d.parts.Range) != 1 {
		d.note("Impala makes no ranges of several columns, such as %s: use Kudu's tool", partitionName(p, d.parts, d.schema))
		return "", false
	}
	whole := true
	value := func(key []byte) (out string) {
		d.boundCells(key, func(c *kuduwire.Column, cell []byte) {
			text, ok := impalaLiteral(c, cell)
			if !ok {
				d.note("Impala cannot be given the bound %s of column %s: use Kudu's tool", cellText(c, cell), c.Name)
			}
			out, whole = text, whole && ok
		})
		return out
	}
	text := "PARTITION "
	if len(p.Lower) > 0 {
		text += value(p.Lower) + " <= "
	}
	text += "VALUES"
	if len(p.Upper) > 0 {
		text += " < " + value(p.Upper)
	}
	return text, whole
}

func impalaNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = impalaName(n)
	}
	return strings.Join(out, ", ")
}

// impalaName quotes a name.
func impalaName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// impalaText quotes a text.
func impalaText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\x00", `\0`).Replace(s) + "'"
}
