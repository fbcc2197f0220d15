package trevni

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// codecLevel is a codec and its level.
type codecLevel struct {
	codec blockcodec.Codec
	level int
	own   bool // the column says so itself
}

// chooseCodecs returns the codec of each column: the one that is asked for, else its own in the Trevni file that it comes from,
// else that of all.
func (d *driver) chooseCodecs(s *arrow.Schema, o Options) ([]codecLevel, error) {
	out := make([]codecLevel, len(d.columns))
	for i := range out {
		out[i] = codecLevel{d.codec, d.level, false}
	}
	if d.keep {
		keepCodecs(s.Fields(), d.tree.Roots, out)
	}
	for k, item := range o.Codecs {
		at := strings.LastIndexByte(item, '=')
		if at < 0 {
			return nil, errs.Errorf(errs.ErrOption, "%w: %q is not COLUMN=NAME", errs.Opt("trevni-codec", ""), item)
		}
		name := item[:at]
		if slices.ContainsFunc(o.Codecs[:k], func(before string) bool {
			return strings.HasPrefix(before, name+"=") && strings.LastIndexByte(before, '=') == at
		}) {
			return nil, errs.Errorf(errs.ErrOption, "%w: column %q is there twice", errs.Opt("trevni-codec", ""), name)
		}
		codec, level, err := parseCompression(item[at+1:])
		if item[at+1:] == "" || err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%w: %q takes none, snappy, or deflate, with a level behind a colon", errs.Opt("trevni-codec", ""), item)
		}
		found := false
		for i := range d.columns {
			if d.columns[i].Name == name {
				out[i], found = codecLevel{codec, level, true}, true
			}
		}
		if i := slices.IndexFunc(d.tree.Roots, func(n *trevniwire.Node) bool { return n.Field.Name == name }); i >= 0 {
			found = true
			for _, k := range columnsOf(d.tree.Roots[i], nil) {
				out[k] = codecLevel{codec, level, true}
			}
		}
		if !found {
			return nil, errs.Errorf(errs.ErrOption, "%w: there is no column %q", errs.Opt("trevni-codec", ""), name)
		}
	}
	return out, nil
}

// keepCodecs finds the codecs that fields had. One that is not written becomes that of all, which the plan tells.
func keepCodecs(fields []arrow.Field, nodes []*trevniwire.Node, to []codecLevel) {
	for i, n := range nodes[:min(len(nodes), len(fields))] {
		if name, ok := fields[i].Metadata.GetValue(trevniwire.MetaCodec); ok {
			codec, level, err := parseCompression(name)
			for _, c := range []int{n.Opt, n.Rep, n.Col} {
				if c >= 0 && err == nil && name != "" {
					to[c] = codecLevel{codec, level, true}
				}
			}
		}
		if nested, ok := fields[i].Type.(arrow.NestedType); ok {
			children := nested.Fields()
			if m, ok := fields[i].Type.(*arrow.MapType); ok {
				children = []arrow.Field{m.KeyField(), m.ItemField()}
			}
			keepCodecs(children, n.Children, to)
		}
	}
}

// columnsOf appends the columns that a node consists of.
func columnsOf(n *trevniwire.Node, to []int) []int {
	for _, c := range []int{n.Opt, n.Rep, n.Col} {
		if c >= 0 {
			to = append(to, c)
		}
	}
	for _, k := range n.Children {
		to = columnsOf(k, to)
	}
	return to
}

// tellCodecs says in the entries of planned columns with which codecs the columns of their fields are written.
func (d *driver) tellCodecs(planned []arrowio.PlannedColumn) {
	names := make(map[string][]string, len(d.tree.Roots)) // of a root's path
	for _, n := range d.tree.Roots {
		path := schemadiff.Path(n.Field.Name)
		for _, c := range columnsOf(n, nil) {
			if name := trevniwire.CodecName(d.columns[c].Codec); !slices.Contains(names[path], name) {
				names[path] = append(names[path], name)
			}
		}
	}
	for i := range planned {
		p := &planned[i]
		p.Encoding = trevniwire.CodecName(d.codec)
		if all := names[rootOf(p.Path, names)]; all != nil {
			p.Encoding = strings.Join(all, ", ")
		}
	}
}

// rootOf returns the root that a path is of, or that it is below; "" = none of them.
func rootOf(path string, roots map[string][]string) string {
	for i := 0; i <= len(path); i++ {
		if i == len(path) || path[i] == '.' {
			if _, ok := roots[path[:i]]; ok {
				return path[:i]
			}
		}
	}
	return ""
}

// fixIntegers makes integers columns of fixed width; the ordinals of enums are few and small.
func (d *driver) fixIntegers(nodes []*trevniwire.Node) {
	for _, n := range nodes {
		if n.Kind == trevniwire.Leaf && n.Col >= 0 && n.Enum == nil {
			d.columns[n.Col].Type = d.columns[n.Col].Type.Fixed()
		}
		d.fixIntegers(n.Children)
	}
}
