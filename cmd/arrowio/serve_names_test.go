package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A restriction or a permission of a name that no dataset has, nor can have, does not start: it would restrict, or permit, nothing.
func TestServeNamesOfNoDataset(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, dir, "orders.arrow", 0, 10)
	config, put := filepath.Join(t.TempDir(), "config.toml"), t.TempDir()
	restrict := func(dataset string) string {
		return fmt.Sprintf("[[restrict]]\nclients = ['bob']\ndatasets = [%q]\ncolumns = ['id']\n", dataset)
	}
	const never, later = "none can come", "no such dataset so far"
	for _, c := range []struct {
		text string
		args []string
		want string // "" = neither
	}{
		{restrict("orders"), []string{"orders=" + file}, ""},
		{restrict("order"), []string{"orders=" + file}, never},
		{restrict("order-*"), []string{"orders=" + file}, never},
		{restrict("ord*"), []string{"orders=" + file}, ""},
		{restrict("*"), []string{"orders=" + file}, ""},
		{restrict("order"), []string{"orders=" + file, "--writable", "staging-*=" + put}, never},
		{restrict("staging-x"), []string{"orders=" + file, "--writable", "staging-*=" + put}, ""},
		{restrict("stag*"), []string{"orders=" + file, "--writable", "staging-*=" + put}, ""},
		{restrict("order"), []string{"--each", dir}, later},
		{restrict("orders"), []string{"--each", dir}, ""},
		{restrict("order"), []string{"--each", "old=" + dir}, never},
		{restrict("old_order"), []string{"--each", "old=" + dir}, later},
		{"", []string{"orders=" + file, "--permit", "bob:read=ordres"}, never},
		{"", []string{"orders=" + file, "--permit", "bob:read=orders,ordres"}, never},
		{"", []string{"orders=" + file, "--permit", "bob:read=ordres", "--each", "old=" + dir}, never},
		{"", []string{"orders=" + file, "--permit", "bob:read=*", "--permit", "bob:manage=*"}, ""},
		{"", []string{"orders=" + file, "--permit", "bob:write=staging-*", "--writable", "staging-*=" + put}, ""},
		{"", []string{"orders=" + file, "--permit", "bob:write=stagign-*", "--writable", "staging-*=" + put}, never},
	} {
		if err := os.WriteFile(config, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := said(t, "", append([]string{"serve", "--check-config", "--listen=grpc://127.0.0.1:0", "--config", config}, c.args...)...)
		if c.want == never && (code != exitUsage || !strings.Contains(errs, never) || !strings.Contains(errs, "orders")) {
			t.Errorf("%q %q: %d, %s", c.text, c.args, code, errs)
		}
		if c.want != never && (code != 0 || out != "ok\n") {
			t.Errorf("%q %q: %d, %s", c.text, c.args, code, errs)
		}
		if strings.Contains(errs, later) != (c.want == later) {
			t.Errorf("%q %q: want %q: %s", c.text, c.args, c.want, errs)
		}
	}
}
