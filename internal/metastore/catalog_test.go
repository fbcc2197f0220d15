package metastore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
)

func TestParseURL(t *testing.T) {
	for url, want := range map[string]metastore.Address{
		"hive://h/d.t":         {Server: "h:9083", Name: metastore.Name{Database: "d", Table: "t"}},
		"hive://h:1/D.T":       {Server: "h:1", Name: metastore.Name{Database: "d", Table: "t"}},
		"hive://[::1]/c.d.t":   {Server: "[::1]:9083", Name: metastore.Name{Catalog: "c", Database: "d", Table: "t"}},
		"hive://h:65535/C.d.t": {Server: "h:65535", Name: metastore.Name{Catalog: "c", Database: "d", Table: "t"}},
	} {
		if got, err := metastore.ParseURL(url); err != nil || got != want {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
	for _, url := range []string{
		"hive://", "hive:///d.t", "hive://h", "hive://h/", "hive://h/t", "hive://h/d.", "hive://h/.t", "hive://h/.d.t", "hive://h/c..t", "hive://h/c.d.",
		"hive://h/a.b.c.d", "hive://h/d/t", "hive://h/@c#d.t", "hive://h/d.t?x", "hive://u@h/d.t", "hive://h,i/d.t", "hive://h:0/d.t", "hive://h:65536/d.t", "hive://h:x/d.t",
	} {
		if got, err := metastore.ParseURL(url); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "DATABASE.TABLE") {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
}

// Tables of one name in two catalogs are told apart, by all calls. A metastore that knows no catalogs does not answer with another table.
func TestCatalogs(t *testing.T) {
	table := func(catalog, location string) *metastore.Table {
		return &metastore.Table{Catalog: catalog, Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Keys: []metastore.Column{{Name: "p", Type: "string"}}, Storage: metastore.Storage{Location: location}}
	}
	s := &metastorefake.Server{
		Tables:     map[string]*metastore.Table{"d.t": table("", "/plain"), "c.d.t": table("c", "/c"), "hive.d.t": table("hive", "/hive"), "wrong.d.t": table("c", "/c")},
		Partitions: map[string][]metastore.Partition{"d.t": {{Values: []string{"x"}}}, "c.d.t": {{Values: []string{"y"}}}},
		Locations:  map[string]string{"d": "/d", "c.d": "/c/d"},
	}
	c := dial(t, s.Start(t), metastore.Options{})
	ctx := t.Context()
	name := func(catalog string) metastore.Name {
		return metastore.Name{Catalog: catalog, Database: "d", Table: "t"}
	}
	for catalog, want := range map[string]string{"": "/plain p=x /d", "c": "/c p=y /c/d", "hive": "/hive  "} {
		got, err := c.Table(ctx, name(catalog))
		if err != nil || got.Named() != name(catalog) {
			t.Fatal(got, err)
		}
		names, err := c.PartitionNames(ctx, got.Named())
		if err != nil {
			t.Fatal(err)
		}
		at, err := c.DatabaseLocation(ctx, got.Named())
		if said := got.Storage.Location + " " + strings.Join(names, ",") + " " + at; err != nil || said != want {
			t.Errorf("%s: %q, %v", catalog, said, err)
		}
		parts, err := c.Partitions(ctx, got.Named(), names)
		if err != nil || len(parts) != len(names) || len(parts) > 0 && "p="+parts[0].Values[0] != names[0] {
			t.Errorf("%s: %v, %v", catalog, parts, err)
		}
		stored, err := c.StoredTable(ctx, name(catalog))
		if err != nil || stored.Named() != name(catalog) || stored.Storage.Location != got.Storage.Location {
			t.Errorf("%s: %v, %v", catalog, stored, err)
		}
	}
	if _, err := c.Table(ctx, name("none")); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "has no table none.d.t") {
		t.Error(err)
	}
	if _, err := c.Table(ctx, name("wrong")); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "answered with c.d.t") {
		t.Error(err)
	}
	s.NoCatalogs = true
	if _, err := c.Table(ctx, name("c")); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "no catalogs") {
		t.Error(err)
	}
	if _, err := c.StoredTable(ctx, name("c")); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "no catalogs") {
		t.Error(err)
	}
}
