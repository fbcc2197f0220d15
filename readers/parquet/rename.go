package parquet

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// ForgetArrowSchema shows the columns with Parquet's own types, whatever Arrow schema the file carries. Call it before the file is
// used.
func (f *parquetFile) ForgetArrowSchema() error {
	f.plain = true
	f.notes, f.schemaFaults, f.splits = nil, nil, nil
	if err := f.parseSchema(); err != nil {
		return err
	}
	return f.check()
}

// Rename gives columns and their children other names and metadata. schema may differ from that of the file only in these, and in
// whether columns are nullable. Call Rename before the file is used.
func (f *parquetFile) Rename(schema *arrow.Schema) {
	fields := slices.Clone(schema.Fields())
	for i, n := range f.nodes {
		extended := !arrow.TypeEqual(f.schema.Field(i).Type, n.field.Type)
		n.rename(fields[i])
		if !extended {
			fields[i].Type = n.field.Type
		}
		f.nameShown(n, []string{fields[i].Name})
	}
	md := schema.Metadata()
	f.schema = arrow.NewSchema(fields, &md)
}

// rename takes names and metadata of a field of the same shape.
func (n *node) rename(to arrow.Field) {
	n.field.Name, n.field.Metadata = to.Name, to.Metadata
	switch n.shape {
	case leafShape:
		return
	case structShape:
		for i, f := range to.Type.(arrow.NestedType).Fields() {
			n.children[i].rename(f)
		}
	case listShape:
		n.children[0].rename(to.Type.(arrow.ListLikeType).ElemField())
	case mapShape:
		m := to.Type.(*arrow.MapType)
		n.children[0].children[0].rename(m.KeyField())
		n.children[0].children[1].rename(m.ItemField())
	}
	stored := n.field.Type
	if _, plain := stored.(*arrow.ListType); plain {
		stored = to.Type // with the name of the elements
	}
	n.settle(stored)
}
