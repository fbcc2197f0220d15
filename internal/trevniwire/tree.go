package trevniwire

import "fmt"

// binder walks an Avro schema in the order in which AvroColumnator makes columns (formats: "Avro records in Trevni")
// and either matches the columns of a header one by one, or declares them.
type binder struct {
	columns []Column
	next    int
	declare bool
	fits    func(column, precision int) bool
	budget  int  // nodes still allowed: empty records take no columns
	table   bool // see ShredTable
}

// column takes the next column, which must be the one described.
func (b *binder) column(name string, t Type, array bool, parent int) (int, error) {
	i := b.next
	b.next++
	if b.declare {
		b.columns = append(b.columns, Column{Name: name, Type: t, Array: array, Parent: parent})
		if parent >= 0 {
			b.columns[parent].Children = append(b.columns[parent].Children, i)
		}
		return i, nil
	}
	if i >= len(b.columns) {
		return 0, fmt.Errorf("avro.schema wants a column %q behind the last", name)
	}
	c := &b.columns[i]
	if c.Name != name || !c.Type.holds(t) || c.Array != array || c.Parent != parent {
		return 0, fmt.Errorf("avro.schema wants column %d to be %q %s, the file has %q %s", i, name, t, c.Name, c.Type)
	}
	return i, nil
}

// simple takes the column of values of s. Ordinals of enums are int.
func (b *binder) simple(path string, s *Avro, array bool, parent int) (int, error) {
	i, err := b.column(path, s.Type, array, parent)
	if err == nil && s.Kind == AvroEnum && b.columns[i].Type != Int {
		return 0, fmt.Errorf("avro.schema wants column %d to be %q int, an enum, the file has %s", i, path, b.columns[i].Type)
	}
	return i, err
}

// holds reports whether values of the Avro type u may be stored as t: integers also in a fixed width.
func (t Type) holds(u Type) bool { return t == u || t == u.Fixed() }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "#" + name
}

func branchPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
