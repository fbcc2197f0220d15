package hivetext

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// FuzzText appends any line to columns of all types: each line is an error, or one row in every column.
func FuzzText(f *testing.F) {
	types, err := Columns("struct<a:boolean,b:tinyint,c:bigint,d:float,e:double,f:varchar(3),g:char(2),h:date,i:timestamp,j:decimal(6,2),k:binary,l:array<map<int,struct<x:string,y:date>>>>")
	if err != nil {
		f.Fatal(err)
	}
	schema, err := orcwire.Schema(&orcwire.Footer{Types: []*orcwire.Type{types}}, orcwire.ArrowOptions{TimestampUnit: arrow.Nanosecond})
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range []string{"true,1,2.0,0x1p3,NaN,abc,d,2024-02-30,2024-01-01 10:00:00.5,1.005,YQ==,1\x03a\x04\\N\x02", `{"a":true,"B":1,"d":"Infinity","h":"2024-01-01","l":[{"1":{"X":"\ud83d\ude00","y":null}}],"no":[1]}`, "-.,+5.,.5,1f,-Infinity,\\,x"} {
		f.Add([]byte(line), true)
		f.Add([]byte(line), false)
	}
	f.Fuzz(func(t *testing.T, line []byte, wrong bool) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		builders := make([]array.Builder, schema.NumFields())
		for i, field := range schema.Fields() {
			builders[i] = array.NewBuilder(mem, field.Type)
		}
		defer func() {
			for _, b := range builders {
				b.Release()
			}
		}()
		lazy := &Lazy{Separators: []byte(",\x02\x03\x04\x05\x06\x07\x08"), Escape: '\\', Escaped: true, Null: `\N`, Wrong: wrong}
		rest := line
		for i, b := range builders {
			c, err := lazy.Column(types.Children[i], b)
			if err != nil {
				t.Fatal(err)
			}
			part, next, more := lazy.Cut(rest, ',')
			rest = next
			if !more && len(part) == 0 {
				c.Null()
			} else if c.Append(part) != nil {
				return // what was appended of it is thrown away
			}
			if b.Len() != 1 {
				t.Fatalf("column %d has %d rows", i, b.Len())
			}
		}
		for i, field := range schema.Fields() {
			builders[i].Release()
			builders[i] = array.NewBuilder(mem, field.Type)
		}
		j, err := NewJSON(&orcwire.Type{Kind: orcwire.Struct, Children: types.Children[:10], Names: types.Names[:10]}, builders[:10], 20)
		if err != nil {
			t.Fatal(err)
		}
		if j.Append(line) != nil {
			return
		}
		for i, b := range builders[:10] {
			if b.Len() != 1 {
				t.Fatalf("column %d has %d rows", i, b.Len())
			}
		}
	})
}
