package orctable

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// TestChoose has a case for every rule by which Hive chooses directories. A name with a * holds the mark of compaction.
func TestChoose(t *testing.T) {
	for _, k := range []struct {
		rule string
		dirs string
		ids  string
		want string // what is chosen, in order; "originals" where files outside count
		err  string
	}{
		{"nothing", "", "", "originals", ""},
		{"deltas alone", "delta_1_1_0 delta_2_2_0 delta_3_3_0", "", "originals delta_1_1_0 delta_2_2_0 delta_3_3_0", ""},
		{"deltas come in the order of write ids, not of names", "delta_10_10 delta_9_9 delta_0000011_0000011", "", "originals delta_9_9 delta_10_10 delta_0000011_0000011", ""},
		{"deletes beside rows", "delete_delta_2_2_0 delta_2_2_0 delta_1_1_0", "", "originals delta_1_1_0 delta_2_2_0 delete_delta_2_2_0", ""},
		{"deletes alone", "delta_1_1_0 delete_delta_2_2_0", "", "originals delta_1_1_0 delete_delta_2_2_0", ""},

		// Write ids that are not valid.
		{"a delta above the highest", "delta_1_1_0 delta_2_2_0", "1", "originals delta_1_1_0", ""},
		{"an open delta", "delta_1_1_0 delta_2_2_0 delta_3_3_0", "3:2", "originals delta_1_1_0 delta_3_3_0", ""},
		{"an aborted delta", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0", "3::2", "originals delta_1_1_0", ""},
		{"a batch some of which is valid", "delta_1_10", "4:1:2", "originals delta_1_10", ""},
		{"a batch nothing of which is valid", "delta_1_3", "9:1,2:3", "originals", ""},
		{"a batch above the highest", "delta_5_9", "4", "originals", ""},

		// Bases.
		{"a base hides what it holds", "base_3 delta_1_1_0 delta_3_3_0 delete_delta_2_2_0 delta_4_4_0", "", "base_3 delta_4_4_0", ""},
		{"the newest base", "base_2 base_10 base_9", "", "base_10", ""},
		{"of one write id, the compacted base", "base_4 base_4_v30", "", "base_4_v30", ""},
		{"of one write id, the base compacted last", "base_4_v30 base_4_v31 base_4", "", "base_4_v31", ""},
		{"the same with the mark of Hive 3", "base_0000004 base_4*", "", "base_4*", ""},
		{"the first base of a converted table", "base_-9223372036854775808 delta_1_1_0 delete_delta_1_1_0", "", "base_-9223372036854775808 delta_1_1_0 delete_delta_1_1_0", ""},
		{"it is compacted, whatever is read", "base_-9223372036854775808 delta_1_1_0", "1:1", "base_-9223372036854775808", ""},
		{"a compacted base needs no aborted write id of its own to be valid", "base_3_v9 delta_1_1_0 delta_4_4_0", "4::2", "base_3_v9 delta_4_4_0", ""},
		{"a compacted base with an open write id in it", "base_3_v9 delta_1_1_0", "5:2", "", "not enough history"},
		{"a compacted base above the highest", "base_3_v9 delta_1_1_0", "2", "", "not enough history"},
		{"the same with the mark", "base_3*", "2", "", "not enough history"},
		{"an older base serves instead", "base_2_v5 base_4_v9 delta_3_3_0 delta_4_4_0", "3", "base_2_v5 delta_3_3_0", ""},
		{"an overwrite that is not valid counts as nothing", "base_4 delta_1_1_0 delta_2_2_0 delta_5_5_0", "6::4", "originals delta_1_1_0 delta_2_2_0 delta_5_5_0", ""},
		{"an overwrite above the highest", "base_4 delta_1_1_0", "3", "originals delta_1_1_0", ""},
		{"an overwrite is valid whatever is open before it", "base_4 delta_2_2_0 delta_5_5_0", "5:2", "base_4 delta_5_5_0", ""},
		{"history is asked for where the oldest base is compacted", "base_2 base_4_v9 delta_1_1_0", "1", "originals delta_1_1_0", ""},
		{"and is not there", "base_2_v3 base_4 delta_1_1_0", "1", "", "not enough history"},
		// Disputed: Hive 4.0.1 takes the overwrite here, and then filters its rows away.
		{"an overwrite whose write id is the smallest open one", "base_4 delta_1_1_0 delta_5_5_0", "6:4", "originals delta_1_1_0 delta_5_5_0", ""},
		{"the same of LOAD DATA OVERWRITE", "base_2 delta_1_1_0 delta_3_3_0", "3:2", "originals delta_1_1_0 delta_3_3_0", ""},

		// Compacted deltas.
		{"the widest delta", "delta_1_4 delta_1_1_0 delta_2_2_0 delta_4_4_0 delta_4_4_1", "", "originals delta_1_4", ""},
		{"it hides deletes, too", "delta_1_4_v17 delete_delta_2_2_0 delete_delta_4_4_0 delete_delta_5_5_0", "", "originals delta_1_4_v17 delete_delta_5_5_0", ""},
		{"with deletes of its own", "delta_1_4_v17 delete_delta_1_4_v17 delete_delta_2_2_0 delta_5_5_0", "", "originals delta_1_4_v17 delete_delta_1_4_v17 delta_5_5_0", ""},
		{"of nested ones the widest", "delta_1_2_v9 delta_1_4_v17 delta_1_1_0 delta_3_3_0", "", "originals delta_1_4_v17", ""},
		{"one behind another", "delta_1_4_v17 delta_5_8_v19 delta_6_6_0", "", "originals delta_1_4_v17 delta_5_8_v19", ""},
		{"read as of before its end", "delta_1_4_v17 delta_1_1_0 delta_2_2_0 delta_3_3_0", "2", "originals delta_1_4_v17", ""},
		{"the same compacted twice", "delta_1_4_v17 delta_1_4_v18 delete_delta_1_4_v17 delete_delta_1_4_v18", "", "originals delta_1_4_v18 delete_delta_1_4_v18", ""},
		{"a batch that was compacted", "delta_1_10 delta_1_10_v9 delete_delta_1_10_v9 delete_delta_3_3_0", "", "originals delta_1_10_v9 delete_delta_1_10_v9", ""},
		{"a base in front of it", "base_4_v9 delta_1_4_v7 delta_5_8_v12 delta_5_5_0", "", "base_4_v9 delta_5_8_v12", ""},
		{"nothing valid behind the base", "base_4_v9 delta_5_8", "4", "base_4_v9", ""},

		// Statements.
		{"statements of one transaction", "delta_2_2_1 delta_2_2_0 delete_delta_2_2_1 delta_2_2_10", "", "originals delta_2_2_0 delta_2_2_1 delete_delta_2_2_1 delta_2_2_10", ""},
		{"statements that were compacted", "delta_2_2 delta_2_2_0 delta_2_2_1 delete_delta_2_2_1", "", "originals delta_2_2", ""},
		{"statements hidden by a wider delta", "delta_1_3 delta_3_3_0 delta_3_3_1", "", "originals delta_1_3", ""},

		// Contradictions.
		{"overlapping deltas", "delta_1_4 delta_3_6", "", "", "delta_1_4 and delta_3_6 overlap"},
		{"a delta that overlaps the base", "base_4 delta_3_6", "", "", "base_4 and delta_3_6 overlap"},
		{"one delta twice", "delta_1_1_0 delta_0000001_0000001_0000", "", "", "are deltas of the same write ids"},
		{"one base twice", "base_1 base_0000001", "", "", "are bases of one write id"},
		{"deletes twice", "delta_2_2_0 delete_delta_2_2_0 delete_delta_02_2_0", "", "", "are deltas of the same write ids"},
	} {
		ids, err := parseWriteIDs("orc-write-ids", k.ids)
		if err != nil {
			t.Fatal(err)
		}
		var dirs []candidate
		for _, name := range strings.Fields(k.dirs) {
			plain, marked := strings.CutSuffix(name, "*")
			d, why := parseDir(plain)
			if why != "" {
				t.Fatal(why)
			}
			dirs = append(dirs, candidate{name: name, dirName: d, marked: marked})
		}
		for range 2 { // in whatever order they come
			c, err := choose(dirs, ids, everything)
			if k.err != "" {
				if err == nil || !strings.Contains(err.Error(), k.err) {
					t.Errorf("%s: %v", k.rule, err)
				}
				var e *errs.Error
				if !errors.As(err, &e) {
					t.Errorf("%s: %v is of no kind", k.rule, err)
				}
			} else if err != nil {
				t.Errorf("%s: %v", k.rule, err)
			} else {
				checkChoice(t, dirs, ids, c)
				var got []string
				if c.originals {
					got = append(got, "originals")
				}
				if c.base >= 0 {
					got = append(got, dirs[c.base].name)
				}
				for _, i := range c.deltas {
					got = append(got, dirs[i].name)
				}
				if s := strings.Join(got, " "); s != k.want {
					t.Errorf("%s: %s, want %s", k.rule, s, k.want)
				}
			}
			slices.Reverse(dirs)
		}
	}
}

// What is hidden says why.
func TestHiddenWhy(t *testing.T) {
	dirs := strings.Fields("base_1 base_2 base_6 delta_1_1_0 delta_3_3_0 delta_4_4_0 delta_5_5_0 delta_3_5_v9 delta_7_7_0 delta_8_8_0")
	want := map[string]string{
		"base_1": "base_2 is newer", "base_6": "was open", "delta_1_1_0": "base_2 stands for it", "delta_3_3_0": "delta_3_5_v9 stands for it",
		"delta_4_4_0": "write id 4 was aborted", "delta_5_5_0": "delta_3_5_v9 stands for it", "delta_8_8_0": "newer than the list",
	}
	var all []candidate
	for _, name := range dirs {
		d, _ := parseDir(name)
		all = append(all, candidate{name: name, dirName: d})
	}
	ids, err := parseWriteIDs("orc-write-ids", "7:6:4")
	if err != nil {
		t.Fatal(err)
	}
	c, err := choose(all, ids, everything)
	if err != nil {
		t.Fatal(err)
	}
	for i, why := range c.hidden {
		if w := want[all[i].name]; w == "" || !strings.Contains(why, w) {
			t.Errorf("%s: %s", all[i].name, why)
		}
	}
	if len(c.hidden) != len(want) {
		t.Errorf("%d are hidden: %v", len(c.hidden), c.hidden)
	}
}

// What was compacted by a transaction that is open, aborted or newer than the list does not count.
func TestTransactions(t *testing.T) {
	var all []candidate
	for _, name := range strings.Fields("base_1_v3 base_2_v5 base_4_v9 delta_1_1_0 delta_2_2_0 delta_3_3_0 delta_4_4_0 delta_2_3_v6 delta_3_4_v7") {
		d, _ := parseDir(name)
		all = append(all, candidate{name: name, dirName: d})
	}
	for list, want := range map[string]string{
		"8:7:5,6":    "base_1_v3 delta_2_2_0 delta_3_3_0 delta_4_4_0",
		"8:5,7:6":    "base_1_v3 delta_2_2_0 delta_3_3_0 delta_4_4_0",
		"8::5,7":     "base_1_v3 delta_2_3_v6 delta_4_4_0",
		"8:6:":       "base_2_v5 delta_3_4_v7",
		"9":          "base_4_v9",
		"1":          "originals delta_1_1_0 delta_2_2_0 delta_3_3_0 delta_4_4_0",
		"8:3,5,6,7:": "originals delta_1_1_0 delta_2_2_0 delta_3_3_0 delta_4_4_0",
	} {
		txns, err := parseWriteIDs("orc-transactions", list)
		if err != nil {
			t.Fatal(err)
		}
		c, err := choose(all, everything, txns)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if c.originals {
			got = append(got, "originals")
		}
		if c.base >= 0 {
			got = append(got, all[c.base].name)
		}
		for _, i := range c.deltas {
			got = append(got, all[i].name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", list, s, want)
		}
		for i, d := range all {
			if why := c.hidden[i]; d.txn != none && !txns.valid(d.txn) && !strings.Contains(why, "which compacted, was") && !strings.Contains(why, "is newer than the list") {
				t.Errorf("%s: %s is hidden because %q", list, d.name, why)
			}
		}
	}
}
