package ipc

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowcheck"
)

// pyarrow 26 has written this file and this stream of five rows. empty is a fixed-size list of size 0 of int32 with a null in the
// second row, s.e the same without nulls, d a dictionary of such lists, l a list of them; a, s.x and z hold numbers and text.
const (
	emptyListsFile   = "H4sIAAAAAAACA+1WsUoDQRCdvdzFQ064QuXABFJapLGz1C6FoKQxrZqAQoSAFtHKT7C0tPATLCxTWFha+gF+gEVKzTqzO5ebDIZcJQhOGHb35s3bmZ3Zu+y22/uHWwAW5SUASIFkGRKoQgQxzlBMCCEOnxNraayiniJ2bAB2UJ9x3UQl2+jLWnSIiGeVnzkK1GvUDDnePSYhe8YYsqc89lF3EJdMHC4lXE3gct6zy945cfcRt+2xQSo4QeGaDgOm4fbKMLsqLGGmKTL6vE1KvtuoDbFfk8cuaow/ssRsv2FOWo9xPioRx6OI48PjVzKRY0D5i/O4QD3A+tRswa3PdoiaWM9Lvi1bnN1PZ9xDfUDMwC6Ot2uLeO8Frzwj8o2I93xweeWe+555LcH/bGVdVqd1oRXXxfnXVM5Hrh4J6pKrR85BQv38xOdEkuDMd3TimCEInY39uNN9XfM7kCEyZMsePw+gkIqYmynPrOg1MEeg/LTURR5014o81mfzqITuXO+mnrNx942POxLcazBf8n0yFV9D4X5rvcljS8VzwGOeV0f5d1QeA+U/VPiy65zvVu3vazO7lvZ5dY4WrMviTUn7Ij7DvVnhuxapfjSih+UdCBXfhiA0qu8ld33B3kfHJ90e3wPgO+jvcuze3Anv3uJeyd9H9xzYgAO9U/u88fORuqf/37j/b9xf+MbF2N+77r/bN33EzoTCCQAA"
	emptyListsStream = "H4sIAAAAAAACA71TsU4CQRCdPe6AmDO5As0lQkJpwQdQUlJYUNKikGgCCYkUaOUnWFpa+AkWlhQUln6EH2BBqawzu3Pc3ETCVc5lsjs3b97O7Mxaa+17AJAAyRHEUIUI6rhDMSGEuHxvraW1inqN2I0B6KGu0e6gkm/1Yy0GRMTT4H+OAvUeNUWOT4+JyZ8yhvwJr1PUHuLircMlhGsKXMZ7s5jMiHuKuK7HBongBIXrOAyYtjsrxeqqUMNKE2T0dZuEYruobXFeh9cxah0/8tTZ/8CcZG9wvyqRx6vI48vjj1NRY0D1i/u4RR1gf5o259Z3u0SNreel2L7N7+6vO56gviBmbg/nO7Z5vs+CV94RxUbEO5sv7tx/PzMfJfjXVvalsesLWdwXF99UNY9cP2LUmutHxkGClPaN74kkxp2f6NgxQxA6H8fxpPu+Zm8gRWTIngv+H0AuFbE3O56iaBuYI1BxWlqiDnpreR2nxToqobvXp11kMe+p8XlHgvsE9kt2Tqryayvcf9nnvPZVPgNes7qGKn6o6pir+KXCl7Uzvkd1vu9N0Zb+fX2ODthl8aak/xCf4dms8FuL1DwaMcPyDYSK70wQGjX3krt14OzR5dV4wu+AML+ZOS5YqAYAAA=="
)

func unpacked(t *testing.T, text string) []byte {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Fixed-size lists of size 0 are read as lists, wherever they are.
func TestEmptyLists(t *testing.T) {
	want := map[string]string{
		"empty": `[[] (null) [] [] []]`,
		"s":     `{[[] [] [] [] []] [1 2 3 4 5]}`,
		"l":     `[[[] (null)] [] [[]] [[]] [[]]]`,
		"a":     `[1 2 3 4 5]`,
		"z":     `["a" "b" "c" "d" "e"]`,
	}
	for name, text := range map[string]string{"file.arrow": emptyListsFile, "stream.arrows": emptyListsStream} {
		f, err := open(unpacked(t, text), name, arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, columns := range [][]string{nil, {"z"}, {"empty"}, {"d", "a"}} {
			recs, err := readAll(f, columns, 100, checked(t))
			if err != nil {
				t.Fatalf("%s, %v: %v", name, columns, err)
			}
			for _, rec := range recs {
				if err := arrowcheck.Record(rec); err != nil {
					t.Fatal(err)
				}
				for i, col := range rec.Columns() {
					if w := want[rec.ColumnName(i)]; w != "" && col.String() != w {
						t.Errorf("%s: %s is %s, want %s", name, rec.ColumnName(i), col, w)
					}
					if d, ok := col.(*array.Dictionary); ok {
						var got []any
						for k := range d.Len() {
							switch {
							case d.IsNull(k), d.Dictionary().IsNull(d.GetValueIndex(k)):
								got = append(got, nil)
							default:
								from, to := d.Dictionary().(*array.List).ValueOffsets(d.GetValueIndex(k))
								got = append(got, to-from)
							}
						}
						if want := []any{int64(0), nil, nil, int64(0), nil}; !reflect.DeepEqual(got, want) {
							t.Errorf("%s: lengths of the lists of d are %v, want %v", name, got, want)
						}
					}
				}
			}
			release(recs)
		}
		if typ := f.Schema().Field(1).Type; !arrow.TypeEqual(typ, arrow.ListOf(arrow.PrimitiveTypes.Int32)) {
			t.Errorf("%s: %s", name, typ)
		}
		f, err = open(unpacked(t, text), name, arrowio.OpenOptions{Limits: arrowio.Limits{BatchElements: 4}})
		if err == nil {
			_, err = readAll(f, []string{"empty"}, 100, checked(t))
		}
		if !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%s, more lists than Limits.BatchElements: %v", name, err)
		}
		for i := range unpacked(t, text) {
			b := unpacked(t, text)
			b[i] ^= 1 << (i % 8)
			hostile(t, b, name)
		}
	}
}

// pyarrow 26 has written this table as Feather version 1.
const featherV1 = "RkVBMQAAAAABAAAAAgAAAAMAAAAEAAAABQAAAAAAAAAUAAAAAAAAAAwAGAAAAAwABAAIAAwAAAAUAAAAAgAAAAUAAAAAAAAAAAAAAAEAAAAMAAAACAAMAAQACAAIAAAACAAAABwAAAABAAAAYQAAABAAIAAHAAAACAAQAAAAGAAQAAAAAAAAAwgAAAAAAAAABQAAAAAAAAAYAAAAAAAAAIAAAABGRUEx"

func TestFeatherV1(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(featherV1)
	if err != nil {
		t.Fatal(err)
	}
	if !Format().Match(b, nil) {
		t.Error("not known as a file of this format's family")
	}
	if _, err = open(b, "v1.feather", arrowio.OpenOptions{}); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "Feather version 1") {
		t.Error(err)
	}
}
