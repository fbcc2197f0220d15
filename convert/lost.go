package convert

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Remaining returns the entries of lost (dataset.Dataset.Lost) without the keys that e sets or drops.
func (e MetadataEdit) Remaining(lost []arrowio.Loss) []arrowio.Loss {
	return slices.DeleteFunc(slices.Clone(lost), func(l arrowio.Loss) bool {
		_, set := e.Set[l.Key]
		return l.Key != "" && (set && l.Of == arrowio.LossOfMetadata || slices.Contains(e.Drop, l.Key) || slices.Contains(e.Drop, "*"))
	})
}

// notProjected returns the metadata of a schema that its projection does not have.
func notProjected(s, projected *arrow.Schema) (lost []arrowio.Loss) {
	for _, k := range s.Metadata().Keys() {
		if md := projected.Metadata(); md.FindKey(k) < 0 {
			lost = append(lost, arrowio.Loss{Of: arrowio.LossOfMetadata, Key: k, Text: "describes only columns that are left out"})
		}
	}
	return lost
}

// addLost says in a plan what is lost of the columns that are read, and of the metadata, since files differ.
func addLost(p *arrowio.WritePlan, lost []arrowio.Loss, columns []string) {
	for _, l := range lost {
		if l.Of == arrowio.LossOfMetadata {
			p.Metadata = append(p.Metadata, arrowio.PlannedKey{Key: l.Key, Loss: l.Text})
		}
	}
	for _, l := range lost {
		if l.LeftOut {
			p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: l.Path, Loss: l.Text})
		}
	}
	for _, l := range slices.Backward(lost) { // each goes in front
		if l.LeftOut {
			continue
		}
		if _, read := (arrowio.Warning{Columns: []string{l.Path}}).For(columns); l.Of != arrowio.LossOfColumn || !read {
			continue
		}
		lost, _ := expr.Names(l.Path)
		best, length := -1, 0 // the entry of the field, or of the nearest above it
		for i, c := range p.Columns {
			if path, ok := expr.Names(c.Path); ok && len(path) > length && len(path) <= len(lost) && slices.Equal(path, lost[:len(path)]) {
				best, length = i, len(path)
			}
		}
		if best >= 0 {
			p.Columns[best].Loss = strings.TrimSuffix(l.Text+"; "+p.Columns[best].Loss, "; ")
		}
	}
}
