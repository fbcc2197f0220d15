package readas

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

func TestSchema(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"struct<a:int>", "a:int32"},
		{" Struct< a : INT , `b``c` : decimal(10,2) > ", "a:int32 b`c:decimal(10, 2)"},
		{"struct<a:decimal,b:char(4),c:varchar(6)>", "a:decimal(38, 10) b:utf8[char(4)] c:utf8[varchar(6)]"},
		{"struct<t:timestamp,l:timestamp with local time zone,d:date>", "t:timestamp[us] l:timestamp[us, tz=UTC] d:date32"},
		{"struct<l:array<struct<x:bigint>>,m:map<string,double>>", "l:list<item: struct<x: int64>, nullable> m:map<utf8, float64, items_nullable>"},
		{"struct<u:uniontype<int,string>,b:binary,f:float,o:boolean,y:tinyint,s:smallint>", "u:dense_union<_0: type=int32, nullable=0, _1: type=utf8, nullable=1> b:binary f:float32 o:bool y:int8 s:int16"},
		{"struct<>", ""},
		{`{"fields": [{"name": "a", "type": "int32", "metadata": {"k": "v"}}]}`, "a:int32"},
		{`{"fields": [{"name": "a", "type": "decimal(20, 3)", "default": 1.5}]}`, "a:decimal(20, 3)"},
		{`{"fields": [{"name": "l", "type": "list", "fields": [{"name": "item", "type": "timestamp[ms, tz=UTC]"}]}]}`, "l:list<item: timestamp[ms, tz=UTC], nullable>"},
		{`{"fields": [{"name": "m", "type": "map", "fields": [{"name": "key", "type": "utf8", "nullable": false}, {"name": "value", "type": "fixed_size_binary[16]"}]}]}`, "m:map<utf8, fixed_size_binary[16], items_nullable>"},
		{`{"fields": [{"name": "d", "type": "dictionary<values=utf8, indices=int32, ordered=false>"}]}`, "d:dictionary<values=utf8, indices=int32, ordered=false>"},
		{`{"fields": [{"name": "a", "type": "string_view"}, {"name": "b", "type": "binary_view"}]}`, "a:string_view b:binary_view"},
		{`{"fields": [{"name": "a", "type": "month_interval"}, {"name": "b", "type": "day_time_interval"}, {"name": "c", "type": "month_day_nano_interval"}]}`, "a:month_interval b:day_time_interval c:month_day_nano_interval"},
		{`{"fields": [{"name": "a", "type": "list_view", "fields": [{"name": "item", "type": "int8"}]}]}`, "a:list_view<item: int8, nullable>"},
		{`{"fields": [{"name": "a", "type": "large_list_view", "fields": [{"name": "el", "type": "int8", "nullable": false}]}]}`, "a:large_list_view<el: int8>"},
		{`{"fields": [{"name": "a", "type": "run_end_encoded", "fields": [{"name": "run_ends", "type": "int16", "nullable": false}, {"name": "values", "type": "utf8"}]}]}`, "a:run_end_encoded<run_ends: int16, values: utf8>"},
	} {
		s, err := Schema(c.text, Options{Unit: arrow.Microsecond})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var parts []string
		for _, f := range s.Fields() {
			p := f.Name + ":" + f.Type.String()
			if v, ok := f.Metadata.GetValue("orc.type"); ok {
				p += "[" + v + "]"
			}
			parts = append(parts, p)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%s is %s, want %s", c.text, got, c.want)
		}
	}
	s, err := Schema(`{"fields": [{"name": "a", "type": "int32", "nullable": false, "default": {"x": 1}}], "metadata": {"k": {"base64": "/w=="}}}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := s.Field(0).Metadata.GetValue(view.MetaDefault); v != `{"x": 1}` || s.Field(0).Nullable {
		t.Error(s)
	}
	if v, _ := s.Metadata().GetValue("k"); v != "\xff" {
		t.Errorf("%q", v)
	}
}

func TestNoSchema(t *testing.T) {
	for _, text := range []string{
		"", "int", "struct", "struct<", "struct<a>", "struct<a:>", "struct<a:int", "struct<a:int>x", "struct<a:int,>", "struct<a:int b:int>", "struct<a:what>",
		"struct<a:char>", "struct<a:char(0)>", "struct<a:char(x)>", "struct<a:varchar(1,2)>", "struct<a:decimal(39,2)>", "struct<a:decimal(5,6)>", "struct<a:decimal()>",
		"struct<a:map<int>>", "struct<a:array<int,int>>", "struct<a:uniontype<>>", "struct<`a:int>", "struct<a:geometry>", strings.Repeat("struct<a:", 200),
		"{", "{}", `{"fields": [{"name": "a"}]}`, `{"fields": [{"name": "a", "type": "list"}]}`, `{"fields": [{"name": "a", "type": "decimal(99, 2)"}]}`,
		`{"fields": [{"name": "a", "type": "int32", "fields": [{"name": "b", "type": "int32"}]}]}`, `{"fields": [{"name": "a", "type": "fixed_size_list[3]"}]}`,
		`{"fields": [{"name": "a", "type": "int32", "metadata": {"k": 1}}]}`, `{"fields": [{"name": "a", "type": "fixed_size_binary[99999999999]"}]}`,
		`{"fields": [{"name": "a", "type": "list_view"}]}`, `{"fields": [{"name": "a", "type": "run_end_encoded"}]}`,
		`{"fields": [{"name": "a", "type": "run_end_encoded", "fields": [{"name": "run_ends", "type": "int8"}, {"name": "values", "type": "utf8"}]}]}`,
	} {
		if s, err := Schema(text, Options{}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{"struct<a:int,`b`:array<decimal(10,2)>>", "struct<a:timestamp with local time zone>", `{"fields": [{"name": "a", "type": "struct", "fields": []}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Schema(text, Options{}); err == nil && s == nil {
			t.Error("no schema")
		}
	})
}
