package orctable

import (
	"context"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/readers/orc"
)

// Tables of all kinds behave as the contract of files says.
func TestConformance(t *testing.T) {
	strides := map[string]string{"orc-row-index-stride": "50", "orc-stripe-rows": "200"}
	big := inserts(1, b0, 0, 1000)
	var gone []int64
	for i := range int64(1000) {
		if i%7 == 3 || i > 300 && i < 450 || i > 600 && i%2 == 0 {
			gone = append(gone, i)
		}
	}
	var batch []event
	for w := int64(1); w <= 9; w++ {
		batch = append(batch, inserts(w, b0, 100*w, 40)...)
	}
	slices.SortFunc(batch, func(a, b event) int {
		return compareTriples(triple{a.write, a.bucket, a.id}, triple{b.write, b.bucket, b.id})
	})
	evolved := memTree{
		"delta_1_1_0/bucket_00000": eventsOf(t, 1, evolvedFields(i32), `[{"n": 1, "st": {"x": 1}}, {"n": 2}]`),
		"delta_2_2_0/bucket_00000": eventsOf(t, 2, evolvedFields(i64), `[{"n": 3, "st": {"x": 4}}, {"n": null}]`),
	}
	for name, k := range map[string]struct {
		tree memTree
		opt  Options
	}{
		"small":     {smallTable(t), Options{}},
		"row ids":   {smallTable(t), Options{RowIDs: true}},
		"events":    {smallTable(t), Options{Events: true}},
		"deletes":   {memTree{"base_1/bucket_00000": eventsFile(t, big, strides), "delete_delta_2_2/bucket_00000": eventsFile(t, deletes(2, 1, b0, gone...), nil)}, Options{RowIDs: true}},
		"write ids": {memTree{"delta_1_9/bucket_00000": eventsFile(t, batch, strides)}, Options{WriteIDs: "8:3,4:6"}},
		"originals": {memTree{
			"000000_0": rowsFile(t, []row{{1, "a"}, {2, ""}, {3, "c"}}), "000000_0_copy_1": rowsFile(t, []row{{4, "d"}, {5, "e"}}),
			"delete_delta_1_1_0/bucket_00000": eventsFile(t, deletes(1, 0, b0, 1, 4), nil),
		}, Options{RowIDs: true}},
		"raw files": {memTree{"base_2/000000_0": rowsFile(t, []row{{1, "a"}, {2, ""}}), "delta_3_3_1/000001_0": rowsFile(t, []row{{3, "c"}})}, Options{Events: true}},
		"version 1": {memTree{
			"delta_1_1_0/bucket_00000": eventsFile(t, inserts(1, 0, 0, 300), nil),
			"delta_2_2_0/bucket_00000": eventsFile(t, append(deletes(2, 1, 0, 5, 6, 7), updated(2, 1, 0, 9, 900)), nil),
		}, Options{RowIDs: true}},
		"partitions": {memTree{
			"p=1/q=x/base_1/bucket_00000": eventsFile(t, inserts(1, b0, 0, 50), strides), "p=1/q=__HIVE_DEFAULT_PARTITION__/000000_0": rowsFile(t, []row{{1, "a"}, {2, ""}}),
			"p=2/q=/delta_3_3/bucket_00000": eventsFile(t, inserts(3, b0, 60, 2), nil),
		}, Options{RowIDs: true}},
		"evolved": {evolved, Options{}},
		"nothing": {memTree{"base_1/bucket_00000": eventsFile(t, nil, nil)}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{
				Scans: 24,
				Open: func(ctx context.Context, _ arrowio.Source) (arrowio.File, error) {
					return Open(ctx, k.tree, arrowio.Limits{}, k.opt, orc.Options{})
				},
			})
		})
	}
}

func evolvedFields(n arrow.DataType) []arrow.Field {
	return []arrow.Field{field("n", n), field("st", arrow.StructOf(field("x", n)))}
}
