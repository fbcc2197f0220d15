package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Values that are shown masked, on either side, say nothing about those that are encrypted: they are not compared.
func TestDiffMasked(t *testing.T) {
	const (
		masked = "../../testdata/orc/java-2.3.1/encrypted-0-none.orc"
		keys   = "orc-keys=../../testdata/orc/keys.json"
	)
	plain := filepath.Join(t.TempDir(), "plain.parquet")
	if o := do(t, "convert", masked, plain); o.code != 0 {
		t.Fatal(o.err)
	}
	for _, c := range []struct {
		args  []string
		code  int
		apart []string
		says  string
	}{
		{[]string{masked, masked}, 5, []string{"card__mix__r10", "ssn__seq"}, "They are equal as far as they could be compared; 2 columns could not be."},
		{[]string{masked, plain}, 5, []string{"card__mix__r10", "ssn__seq"}, "shown masked in A"},
		{[]string{plain, masked}, 5, []string{"card__mix__r10", "ssn__seq"}, "shown masked in B"},
		{[]string{"--columns", "ssn__seq", masked, masked}, 5, []string{"ssn__seq"}, "Not compared: no row could be."},
		{[]string{"--exclude", "ssn__seq,card__mix__r10", masked, masked}, 0, nil, "They are equal."},
		{[]string{"--unordered", masked, masked}, 5, []string{"card__mix__r10", "ssn__seq"}, "shown masked in both"},
		{[]string{"--a", keys, masked, masked}, 5, []string{"card__mix__r10", "ssn__seq"}, "shown masked in B"},
		{[]string{"--a", keys, "--b", keys, masked, masked}, 0, nil, "They are equal."},
		{[]string{"--schema-only", masked, masked}, 0, nil, "The schemas are the same. No row was compared."},
	} {
		o := do(t, append([]string{"diff"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.out, c.says) {
			t.Errorf("%q: %+v", c.args, o)
		}
		var d diffDoc
		o = do(t, append([]string{"diff", "--json"}, c.args...)...)
		if err := json.Unmarshal([]byte(o.out), &d); err != nil || o.code != c.code {
			t.Fatal(err, o)
		}
		conforms(t, "diff", o.out)
		var apart []string
		for _, col := range d.Schema.Columns {
			if col.Apart != "" {
				apart = append(apart, col.Path)
			}
		}
		if slices.Sort(apart); !slices.Equal(apart, c.apart) || d.Same != (c.code == 0) {
			t.Errorf("%q: not compared %q, same %v", c.args, apart, d.Same)
		}
		if d.Rows != nil && (d.Rows.Equal == nil) != strings.HasPrefix(c.says, "Not compared") {
			t.Errorf("%q: %v equal", c.args, d.Rows.Equal)
		}
	}
	if o := do(t, "diff", "--key", "ssn__seq", masked, masked); o.code != 2 || !strings.Contains(o.err, "column ssn__seq cannot be part of the key: it is encrypted, and shown masked in both") {
		t.Errorf("%+v", o)
	}
}

// A profile marks the nulls of columns that are shown masked, on the page, too.
func TestProfileMasked(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/encrypted-0-none.orc"
	for _, line := range strings.Split(do(t, "profile", in).out, "\n") {
		if secret := strings.HasPrefix(line, "ssn__seq ") || strings.HasPrefix(line, "card__mix__r10 "); strings.Contains(line, ", masked") != secret {
			t.Error(line)
		}
	}
	page := do(t, "profile", "--html", "-", in).out
	if !strings.Contains(page, "encrypted, and shown masked: ssn__seq, card__mix__r10") || strings.Contains(page, "only nulls") || strings.Count(page, ", masked") == 0 {
		t.Error("the page does not tell which columns are masked")
	}
}
