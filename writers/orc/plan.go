package orc

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	opt, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	d := &driver{opt: opt, stripe: o.RowGroupBytes, maxFile: o.MaxFileBytes, workers: o.Parallelism}
	if d.stripe <= 0 {
		d.stripe = DefaultStripeBytes
	}
	if o.Memory > 0 {
		d.stripe = min(d.stripe, max(o.Memory/memoryOfStripe, 1<<16))
	}
	if d.workers <= 0 {
		d.workers = runtime.GOMAXPROCS(0)
	}
	if err := d.compression(o.Compression); err != nil {
		return nil, err
	}
	types, columns, meta, err := orcwire.TypesFromArrow(s, orcwire.OutOptions{})
	if err != nil {
		return nil, err
	}
	back, err := comesBack(types, meta)
	if err != nil {
		return nil, err
	}
	if bare, lost := plans.WithoutLost(s, back.Fields()); lost != nil {
		were := columns
		if types, columns, meta, err = orcwire.TypesFromArrow(bare, orcwire.OutOptions{}); err != nil {
			return nil, err
		}
		texts := lost.Texts()
		for i := range columns {
			if text, ok := texts[columns[i].Path]; ok {
				columns[i].Type, columns[i].Loss = were[i].Type, plans.Join(text, columns[i].Loss)
			}
		}
	}
	d.types, d.meta = types, meta
	d.rootOnly = types[0].Kind != orcwire.Struct
	if opt.Iceberg != "" {
		if err := d.forIceberg(s); err != nil {
			return nil, err
		}
	}
	if d.crypt, err = planEncryption(o.Options, types); err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: d}
	for _, c := range columns {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{
			Path: c.Path, Type: c.Type, Stored: c.Stored, Encoding: d.crypt.says(types[c.ID], d.expects(types[c.ID])), Loss: d.lost(types[c.ID], c.Type, c.Loss),
			Refused: d.refused(types[c.ID], c.Type),
		})
	}
	if err := d.planFile(s, p); err != nil {
		return nil, err
	}
	return p, d.chooseBlooms()
}

// comesBack returns the schema under which a file is read.
func comesBack(types []*orcwire.Type, meta []orcwire.KeyValue) (*arrow.Schema, error) {
	return orcwire.Schema(&orcwire.Footer{Types: types, Metadata: meta}, orcwire.ArrowOptions{TimestampUnit: arrow.Nanosecond})
}

// planFile says what becomes of the schema's metadata, and what is lost of all fields.
func (d *driver) planFile(s *arrow.Schema, p *arrowio.WritePlan) error {
	back, err := comesBack(d.types, d.meta)
	if err != nil {
		return err
	}
	p.Metadata = plans.Planned(s.Metadata(), back.Metadata(), "user metadata", "the key is not UTF-8, or another takes its place")
	var lax, strict []string
	for _, x := range schemadiff.Fields(s.Fields(), back.Fields()) {
		switch {
		case x.Aspect != schemadiff.Nullable:
		case x.Strict: // unions
			strict = append(strict, x.Path)
		default:
			lax = append(lax, x.Path)
		}
	}
	add := func(what string, paths []string) {
		const shown = 3
		n := len(paths)
		if n == 0 {
			return
		}
		names := strings.Join(paths[:min(n, shown)], ", ")
		if n > shown {
			names += fmt.Sprintf(" and %d more", n-shown)
		}
		p.Metadata = append(p.Metadata, arrowio.PlannedKey{Loss: what + ": " + names})
	}
	add("fields that are never null come back as nullable", lax)
	add("fields that may be null come back as never null", strict)
	return nil
}

// memoryOfStripe is how much memory a stripe takes at most, by its raw bytes: what is buffered and what waits to be
// written.
const memoryOfStripe = 3

// compression reads NAME[:LEVEL]; zlib is the default, as it is Java's.
func (d *driver) compression(s string) error {
	switch name, _, _ := strings.Cut(s, ":"); name {
	case "":
		s = "zlib"
	case "lzo":
		return errs.Errorf(errs.ErrOption, "compression lzo is read, not written; use zstd, zlib, snappy, lz4, brotli or none")
	}
	codecs, named := make([]blockcodec.Codec, len(compressions)), make([]blockcodec.Codec, len(compressions))
	for i, c := range compressions {
		codecs[i], named[i] = c.codec, c.codec
		if c.codec == blockcodec.Deflate {
			named[i] = blockcodec.Zlib // the format's word for deflate without a header
		}
	}
	codec, lv, err := blockcodec.ParseAlias(s, map[string]blockcodec.Codec{"deflate": blockcodec.Zlib, "null": blockcodec.None, "uncompressed": blockcodec.None}, named...)
	if err != nil {
		return err
	}
	if codec == blockcodec.Zlib {
		codec = blockcodec.Deflate
	}
	if codec == blockcodec.Deflate && lv == blockcodec.DefaultLevel {
		lv = defaultDeflate
	}
	i := slices.Index(codecs, codec)
	d.kind = compressions[i].kind
	d.packing = orcwire.OutPacking{Codec: codec, Level: lv, Chunked: codec != blockcodec.None, BlockSize: d.opt.BlockSize}
	return nil
}

// defaultDeflate is the level that packs about as well as Java's default and is several times as fast (docs/bench).
const defaultDeflate = 4

// expects says how a column is likely to be stored.
func (d *driver) expects(t *orcwire.Type) string {
	switch t.Kind {
	case orcwire.String, orcwire.Char, orcwire.Varchar:
		if d.opt.Dictionary > 0 {
			return "dictionary or direct, " + d.kind.String()
		}
	case orcwire.Struct:
		return ""
	}
	return "direct, " + d.kind.String()
}

// chooseBlooms resolves the columns that are to have bloom filters.
func (d *driver) chooseBlooms() error {
	d.bloom = map[int]bool{}
	if d.opt.Stride == 0 && len(d.opt.Bloom) > 0 {
		return errs.Errorf(errs.ErrOption, "%w: bloom filters are of row groups, and %w is 0", errs.Opt("orc-bloom", ""), errs.Opt("orc-row-index-stride", ""))
	}
	for _, want := range d.opt.Bloom {
		found := false
		for _, t := range d.types[1:] {
			if canBloom(t) && (want == "*" || want == t.Path()) {
				d.bloom[t.ID], found = true, true
			}
		}
		if !found && want != "*" {
			return errs.Errorf(errs.ErrOption, "%w: there is no column %q that can have a bloom filter", errs.Opt("orc-bloom", ""), want)
		}
	}
	return nil
}

// canBloom reports whether values of a type are hashed: not those of structs and unions, nor binary.
func canBloom(t *orcwire.Type) bool {
	switch t.Kind {
	case orcwire.Struct, orcwire.Union, orcwire.Binary, orcwire.Geometry, orcwire.Geography, orcwire.List, orcwire.Map:
		return false
	}
	return true
}
