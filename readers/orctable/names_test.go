package orctable

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestParseDir(t *testing.T) {
	dir := func(k dirKind, a, b, s, v int64) dirName { return dirName{k, a, b, s, v} }
	for name, want := range map[string]dirName{
		"base_0000005":                                  dir(base, 5, 5, none, none),
		"base_5":                                        dir(base, 5, 5, none, none),
		"base_12345678901":                              dir(base, 12345678901, 12345678901, none, none),
		"base_0000004_v0000030":                         dir(base, 4, 4, none, 30),
		"base_-9223372036854775808":                     dir(base, math.MinInt64, math.MinInt64, none, none),
		"base_-9223372036854775808_v0000012":            dir(base, math.MinInt64, math.MinInt64, none, 12),
		"base_9223372036854775807":                      dir(base, math.MaxInt64, math.MaxInt64, none, none),
		"delta_0000001_0000001_0000":                    dir(delta, 1, 1, 0, none),
		"delta_0000001_0000010":                         dir(delta, 1, 10, none, none),
		"delta_1_4_v17":                                 dir(delta, 1, 4, none, 17),
		"delta_2_2_0003_v0000017":                       dir(delta, 2, 2, 3, 17),
		"delete_delta_0000003_0000003_0000":             dir(deleteDelta, 3, 3, 0, none),
		"delete_delta_0000001_0000004_v0000017":         dir(deleteDelta, 1, 4, none, 17),
		"delta_0000000_0000000":                         dir(delta, 0, 0, none, none),
		"delta_1_1_2147483647":                          dir(delta, 1, 1, math.MaxInt32, none),
		"delta_9223372036854775807_9223372036854775807": dir(delta, math.MaxInt64, math.MaxInt64, none, none),
	} {
		if got, why := parseDir(name); got != want || why != "" {
			t.Errorf("%s: %+v, %q", name, got, why)
		}
	}
	for _, name := range []string{
		"base_", "base_x", "base_5_", "base_5_6", "base_5_v", "base_5_vx", "base_5_v-1", "base_+5", "base_9223372036854775808", "base_5_v1_tmp", "base_ 5",
		"delta_", "delta_1", "delta_1_", "delta_1_2_3_4", "delta_x_2", "delta_-1_2", "delta_2_1", "delta_1_1_x", "delta_1_1_-1", "delta_1_1_2147483648",
		"delta_1_1_v", "delta_+1_1", "delta_99999999999999999999_1", "delete_delta_1", "delete_delta_3_2_1", "delta_１_1",
	} {
		if got, why := parseDir(name); got.kind != notAcid || why == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, name := range []string{"", "x", "Base_5", "DELTA_1_1", "based_5", "delete_1_1", "_base_5", "p=1"} {
		if got, why := parseDir(name); got.kind != notAcid || why != "" {
			t.Errorf("%s: %+v, %q", name, got, why)
		}
	}
}

func TestBucketOf(t *testing.T) {
	for name, want := range map[string]int64{
		"bucket_00000": 0, "bucket_00012": 12, "bucket_00001_3": 1, "000000_0": 0, "000007_1": 7, "000003_0_copy_10": 3, "12_0": 12, "bucket_9999999": 9999999,
	} {
		if got, ok := bucketOf(name); !ok || got != want {
			t.Errorf("%s: %d, %t", name, got, ok)
		}
	}
	for _, name := range []string{"", "bucket_", "bucket_x", "bucket_0_1_2", "part-00000.orc", "000000", "000000_0_copy_", "x000000_0", "bucket_99999999999999999999", "000000_0.orc"} {
		if got, ok := bucketOf(name); ok {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestPartitionNames(t *testing.T) {
	for name, want := range map[string][3]string{
		"p=1": {"p", "1", ""}, "p=": {"p", "", ""}, "p=a=b": {"p", "a=b", ""}, "q=a%2Fb": {"q", "a/b", ""}, "q=%3d%3D": {"q", "==", ""},
		"q=%": {"q", "%", ""}, "q=%2": {"q", "%2", ""}, "q=%zz": {"q", "%zz", ""}, "a%20b=%E4%BB%B8": {"a b", "仸", ""},
		"p=__HIVE_DEFAULT_PARTITION__": {"p", "__HIVE_DEFAULT_PARTITION__", "null"},
	} {
		key, value, null, ok := partitionOf(name)
		if !ok || key != want[0] || value != want[1] || null != (want[2] != "") {
			t.Errorf("%s: %q, %q, %t, %t", name, key, value, null, ok)
		}
	}
	for _, name := range []string{"", "p", "=1", "_p=1", ".p=1"} {
		if _, _, _, ok := partitionOf(name); ok {
			t.Error(name)
		}
	}
}

// The numbers that Hive stores for buckets 0 and 1, statements 0 and 3, and the largest of both.
func TestBucketBits(t *testing.T) {
	for in, want := range map[[2]int64]int32{{0, 0}: 536870912, {1, 0}: 536936448, {1, 3}: 536936451, {4095, 4095}: 805244927} {
		if got, ok := bucketBits(in[0], in[1]); !ok || got != want {
			t.Errorf("%v: %d, %t", in, got, ok)
		}
	}
	for _, in := range [][2]int64{{-1, 0}, {4096, 0}, {0, -1}, {0, 4096}} {
		if _, ok := bucketBits(in[0], in[1]); ok {
			t.Error(in)
		}
	}
	for _, b := range []int32{0, 1, 4095, 1 << 28, 536870912, 805244927, 1<<30 - 1} {
		if err := checkBucket(b); err != nil {
			t.Error(err)
		}
	}
	for _, b := range []int32{1 << 30, -1, math.MinInt32} {
		if err := checkBucket(b); !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%d: %v", b, err)
		}
	}
}

// Whatever a name is, what is understood of it is what it says, and choosing among such names ends.
func FuzzNames(f *testing.F) {
	f.Add("base_0000005 delta_0000006_0000006_0000 delete_delta_0000006_0000006_0000 delta_0000001_0000004_v0000017", "6:3:2")
	f.Add("base_-9223372036854775808_v12 delta_1_9223372036854775807 delta_2_2_1 delta_2_2_0", "9223372036854775807::")
	f.Add("delta_3_1 base_ delta_1_2_3_4 base_1_v1 base_1", "")
	f.Add("delta_1_4 delta_3_6 base_2_v3 base_2", "5:5:5,4,3,2,1")
	f.Fuzz(func(t *testing.T, names, list string) {
		ids, err := parseWriteIDs("orc-write-ids", list)
		if err != nil {
			ids = everything
		}
		var dirs []candidate
		for _, name := range strings.Fields(names) {
			d, why := parseDir(name)
			if d.kind == notAcid {
				if why == "" && kindOf(name) != notAcid {
					t.Errorf("%q is none, and no reason is given", name)
				}
				continue
			}
			if d.min > d.max || d.kind != base && d.min < 0 || d.stmt < none || d.txn < none || why != "" {
				t.Errorf("%q: %+v, %q", name, d, why)
			}
			if again, _ := parseDir(d.text()); again != d {
				t.Errorf("%q: %+v, written %q: %+v", name, d, d.text(), again)
			}
			dirs = append(dirs, candidate{name: name, dirName: d, marked: len(name)%3 == 0})
		}
		c, err := choose(dirs, ids, everything)
		if err != nil {
			return
		}
		checkChoice(t, dirs, ids, c)
	})
}

// text is a name of the directory.
func (d dirName) text() string {
	s := fmt.Sprintf("%s%d", dirPrefixes[d.kind], d.min)
	if d.kind != base {
		s += fmt.Sprintf("_%07d", d.max)
	}
	if d.stmt != none {
		s += fmt.Sprintf("_%04d", d.stmt)
	}
	if d.txn != none {
		s += fmt.Sprintf("_v%07d", d.txn)
	}
	return s
}

// checkChoice checks what holds of every choice: each directory is chosen or hidden for a reason, and no valid write id
// is in two deltas of one kind, unless they are statements of it.
func checkChoice(t *testing.T, dirs []candidate, ids *writeIDs, c choice) {
	t.Helper()
	seen := map[int]bool{}
	take := func(i int) {
		if seen[i] || c.hidden[i] != "" {
			t.Errorf("%s is chosen twice, or hidden as well: %q", dirs[i].name, c.hidden[i])
		}
		seen[i] = true
	}
	if c.base >= 0 {
		take(c.base)
		if dirs[c.base].kind != base || invalidBase(&dirs[c.base], ids) != "" {
			t.Errorf("%s is the base", dirs[c.base].name)
		}
	}
	for n, i := range c.deltas {
		take(i)
		d := &dirs[i]
		if d.kind == base || !ids.any(d.min, d.max) {
			t.Errorf("%s is chosen as a delta", d.name)
		}
		if c.base >= 0 && d.max <= dirs[c.base].min {
			t.Errorf("%s is chosen along with %s", d.name, dirs[c.base].name)
		}
		for _, k := range c.deltas[:n] {
			o := &dirs[k]
			if o.kind == d.kind && o.min <= d.max && d.min <= o.max && (o.min != d.min || o.max != d.max || o.stmt == d.stmt) {
				t.Errorf("%s and %s are both chosen", o.name, d.name)
			}
		}
	}
	for i := range dirs {
		if !seen[i] && c.hidden[i] == "" {
			t.Errorf("%s is neither chosen nor hidden", dirs[i].name)
		}
	}
	if c.originals != (c.base < 0) {
		t.Error("originals count where there is a base, or do not count where there is none")
	}
}
