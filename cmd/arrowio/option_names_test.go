package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Errors about values of options name the options as they are written on the command line.
func TestErrorsNameFlags(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	orc, trv := filepath.Join(dir, "in.orc"), filepath.Join(dir, "in.trv")
	ok(t, "convert", "--columns=id", in, orc)
	ok(t, "convert", "--columns=id", in, trv)
	for _, c := range []struct {
		flag, in, out string
		more          []string // other options
	}{
		{flag: "--orc-row-index-stride=x", in: in, out: "o.orc"},
		{flag: "--orc-block-size=x", in: in, out: "o.orc"},
		{flag: "--orc-bloom-fpp=2", in: in, out: "o.orc"},
		{flag: "--orc-dictionary=2", in: in, out: "o.orc"},
		{flag: "--orc-bloom=zz", in: in, out: "o.orc"},
		{flag: "--orc-bloom=id", in: in, out: "o.orc", more: []string{"--orc-row-index-stride=0"}},
		{flag: "--orc-encrypt=k:id", in: in, out: "o.orc"},
		{flag: "--orc-encrypt=id", in: in, out: "o.orc"},
		{flag: "--parquet-page-bytes=1", in: in, out: "o.parquet"},
		{flag: "--parquet-page-rows=x", in: in, out: "o.parquet"},
		{flag: "--parquet-bloom=id:7", in: in, out: "o.parquet"},
		{flag: "--csv-null=\"", in: in, out: "o.csv"},
		{flag: "--csv-delimiter=ab", in: in, out: "o.csv"},
		{flag: "--trevni-schema=x", in: in, out: "o.trv"},
		{flag: "--trevni-checksum=x", in: in, out: "o.trv"},
		{flag: "--trevni-values=zz", in: in, out: "o.trv"},
		{flag: "--kudu-key=zz", in: in, out: "o.kudu"},
		{flag: "--sort=zz", in: in, out: "o.orc"},
		{flag: "--sort=tags", in: in, out: "o.orc"},
		{flag: "--sort=id nulls nowhere", in: in, out: "o.orc"},
		{flag: "--partition-by=zz", in: in, out: "o"},
		{flag: "--partition-by=tags", in: in, out: "o"},
		{flag: "--orc-timezone=Mars", in: orc, out: "o.arrow"},
		{flag: "--orc-strings=x", in: orc, out: "o.arrow"},
		{flag: "--trevni-view=x", in: trv, out: "o.arrow"},
		{flag: "--trevni-decimals=x", in: trv, out: "o.arrow"},
		{flag: "--trevni-sorted=zz", in: trv, out: "o.arrow"},
	} {
		name, _, _ := strings.Cut(c.flag, "=")
		args := append([]string{"convert", c.flag}, c.more...)
		if c.out == "o" {
			args = append(args, "--to=orc")
		}
		o := do(t, append(args, c.in, filepath.Join(dir, c.out))...)
		if o.code == 0 || o.code == 3 || !strings.Contains(o.err, name) {
			t.Errorf("%q: exit %d: %s", c.flag, o.code, o.err)
		}
	}
}
