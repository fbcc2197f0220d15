package errs

import (
	"reflect"
	"testing"
)

func TestLimitsWithDefaults(t *testing.T) {
	d := reflect.ValueOf(Limits{}.WithDefaults())
	for i := range d.NumField() {
		if d.Field(i).Int() <= 0 {
			t.Errorf("%s has no default", d.Type().Field(i).Name)
		}
	}
	set := Limits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := set.WithDefaults(); got != set {
		t.Errorf("%+v became %+v", set, got)
	}
}
