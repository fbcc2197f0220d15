package convert_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
)

// A key is dropped at every depth; types and other metadata stay.
func TestMetadataEdit(t *testing.T) {
	md := func(kv ...string) arrow.Metadata {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return arrow.MetadataFrom(m)
	}
	leaf := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Nullable: true, Metadata: md("drop", "1", "keep", "2")}
	m := arrow.MapOfWithMetadata(leaf.Type, leaf.Metadata, leaf.Type, leaf.Metadata)
	fields := []arrow.Field{
		leaf,
		{Name: "l", Type: arrow.ListOfField(leaf)},
		{Name: "ll", Type: arrow.LargeListOfField(leaf)},
		{Name: "v", Type: arrow.ListViewOfField(leaf)},
		{Name: "lv", Type: arrow.LargeListViewOfField(leaf)},
		{Name: "f", Type: arrow.FixedSizeListOfField(2, leaf)},
		{Name: "s", Type: arrow.StructOf(leaf)},
		{Name: "m", Type: m},
		{Name: "u", Type: arrow.DenseUnionOf([]arrow.Field{leaf}, []arrow.UnionTypeCode{3})},
		{Name: "w", Type: arrow.SparseUnionOf([]arrow.Field{leaf}, []arrow.UnionTypeCode{3})},
	}
	file := md("drop", "1", "stay", "2")
	s := arrow.NewSchema(fields, &file)
	got, err := convert.MetadataEdit{Drop: []string{"drop"}, Set: map[string]string{"stay": "3"}}.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	if text := got.String(); strings.Contains(text, "drop") || strings.Count(text, "keep") == 0 || fmt.Sprint(got.Metadata().ToMap()) != "map[stay:3]" {
		t.Errorf("%s", text)
	}
	for i, f := range got.Fields() {
		if f.Type.ID() != s.Field(i).Type.ID() || f.Nullable != s.Field(i).Nullable {
			t.Errorf("%v instead of %v", f, s.Field(i))
		}
		if mt, ok := f.Type.(*arrow.MapType); ok && (mt.ItemField().Metadata.Len() != 1 || mt.KeyField().Metadata.Len() != 1) {
			t.Errorf("%v", mt)
		}
	}
	if _, err := (convert.MetadataEdit{Drop: []string{"dorp"}}).Apply(s); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "there are drop, keep, stay") {
		t.Error(err)
	}
	if all, err := (convert.MetadataEdit{Drop: []string{"*"}}).Apply(s); err != nil || strings.Contains(all.String(), "keep") {
		t.Error(all, err)
	}
}

// A key that is set is refused where the format has no place for it. One that the input has is only reported as lost.
func TestMetadataWithoutPlace(t *testing.T) {
	f := arrowio.OutputFormat{Name: "bare", Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
		p := &arrowio.WritePlan{Format: "bare", Schema: s, Metadata: []arrowio.PlannedKey{{Key: "owner", Loss: "there is no place for it"}}}
		for _, k := range s.Metadata().Keys() {
			p.Metadata = append(p.Metadata, arrowio.PlannedKey{Key: k, Loss: "there is no place for it"})
		}
		return p, nil
	}}
	ds := dataset.FromFile("", &numbers{rows: 1, splitRows: 1})
	r, err := convert.Convert(t.Context(), ds, f, nil, convert.Options{DryRun: true})
	if err != nil || len(r.Plan.Losses()) != 1 {
		t.Fatalf("a key of the input: %v, %+v", err, r)
	}
	set := convert.MetadataEdit{Set: map[string]string{"team": "a"}}
	_, err = convert.Convert(t.Context(), ds, f, nil, convert.Options{DryRun: true, Metadata: set})
	if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "team") || !strings.Contains(err.Error(), "bare") {
		t.Errorf("a key that is set: %v", err)
	}
}
