package hivetable

import (
	"strings"
	"testing"
)

// The compactor of Hive 3 moves the directory of rows and that of deletes one after the other, in any order.
func TestHalfCompacted(t *testing.T) {
	for names, want := range map[string]bool{
		"delta_1_1_0 delta_2_2_0 delete_delta_2_2_0":                                          false,
		"delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2":                                true,
		"delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delete_delta_1_2":                         true,
		"delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2 delete_delta_1_2":               false,
		"delta_1_2 delete_delta_3_3_0":                                                        false,
		"delete_delta_1_2 delta_3_3_0":                                                        false,
		"delta_1_2":                                                                           false,
		"delta_1_2 delete_delta_1_2 delta_3_3 delete_delta_3_3 delete_delta_1_3":              true,
		"base_2 delta_3_3_0 delta_4_4_0 delta_3_4":                                            false,
		"delta_1_1 delta_2_2 delete_delta_3_3_0 delta_1_3_v0000007 delete_delta_1_3_v0000007": false,
	} {
		if got := halfCompacted(strings.Fields(names)); got != want {
			t.Errorf("%s: %v, want %v", names, got, want)
		}
	}
}
