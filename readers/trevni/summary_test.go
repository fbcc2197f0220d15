package trevni

import "testing"

// Where there are no statistics, it is known of plain columns that they have no nulls, and of others nothing.
func TestSummaryWithoutStatistics(t *testing.T) {
	f := openFile(t, "../../testdata/trevni/java-1.12.1/avro-nested.trv", Options{})
	for _, field := range f.Schema().Fields() {
		s, err := f.Summary(t.Context(), field.Name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Min != nil || s.Max != nil || s.Sum != nil || s.Nulls >= 0 && field.Nullable {
			t.Errorf("%s: %+v", field.Name, s)
		}
	}
}
