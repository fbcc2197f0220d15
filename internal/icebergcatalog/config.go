package icebergcatalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Properties are those of a catalog, by PyIceberg's names: "type", "uri", "warehouse", "token", "credential".
type Properties map[string]string

// mostConfig is how large a configuration may be.
const mostConfig = 1 << 20

// files returns the configurations that are looked for, in their order.
func files() (out []string) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		out = append(out, filepath.Join(dir, "arrowio", "catalogs.yaml"))
	} else if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, ".config", "arrowio", "catalogs.yaml"))
	}
	if dir := os.Getenv("PYICEBERG_HOME"); dir != "" {
		out = append(out, filepath.Join(dir, ".pyiceberg.yaml"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, ".pyiceberg.yaml"))
	}
	return append(out, ".pyiceberg.yaml")
}

// headerPrefix begins the properties that are headers of each request.
const headerPrefix = "header."

// known are the other properties that are looked at.
var known = []string{"type", "uri", "warehouse", "prefix", "token", "credential", "scope", "oauth2-server-uri", settingSigning, "rest.sigv4-enabled"}

// Find returns the properties of a catalog: those of the first configuration that has it, with what the environment
// (PYICEBERG_CATALOG__NAME__PROPERTY) and then given say in their place. A catalog that nothing is known of, and a property in given that is
// not known, are errs.ErrOption.
func Find(name string, given Properties) (Properties, error) {
	p := Properties{}
	for k := range given { // configurations may have more: they are other programs' too
		if header, ok := strings.CutPrefix(k, headerPrefix); !slices.Contains(known, k) && !slices.Contains(loanSettings, k) && (!ok || header == "") {
			return nil, errs.Errorf(errs.ErrOption, "unknown property %.60q of a catalog (known: %s, %s, %sNAME)", k, strings.Join(known[:len(known)-1], ", "), strings.Join(loanSettings, ", "), headerPrefix)
		}
	}
	var looked []string
	for _, file := range files() {
		fi, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			looked = append(looked, file)
			continue
		}
		if err == nil && fi.Size() > mostConfig {
			err = errs.Errorf(errs.ErrLimit, "%s has more than %d bytes, and cannot be a configuration of catalogs", file, mostConfig)
		}
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := parse(b, name)
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: %w", file, err)
		}
		if found != nil {
			p = found
			break
		}
		looked = append(looked, file)
	}
	prefix := "PYICEBERG_CATALOG__" + strings.ToUpper(name) + "__"
	for _, kv := range os.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		if key, ok := strings.CutPrefix(k, prefix); ok {
			p[strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "__", "."), "_", "-"))] = v
		}
	}
	maps.Copy(p, given)
	p[catalogName] = name
	if p["uri"] == "" && p["type"] == "" {
		return nil, errs.Errorf(errs.ErrOption, "catalog %q is not configured; looked for it in %s", name, strings.Join(looked, ", "))
	}
	return p, nil
}

// parse returns the properties of a catalog in a configuration; nil = it does not have it.
func parse(b []byte, name string) (Properties, error) {
	var doc struct {
		Catalog map[string]map[string]any `yaml:"catalog"`
	}
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, fmt.Errorf("this is no configuration of catalogs in YAML: %w", err)
	}
	found, ok := doc.Catalog[name]
	if !ok {
		return nil, nil //nolint:nilnil // the comment says so
	}
	p := Properties{}
	flatten(p, "", found)
	return p, nil
}

// flatten adds the values of a map; those of maps in it have names with a dot.
func flatten(p Properties, above string, in map[string]any) {
	for k, v := range in {
		switch v := v.(type) {
		case map[string]any:
			flatten(p, above+k+".", v)
		case nil:
		default:
			p[above+k] = fmt.Sprint(v)
		}
	}
}

// kind returns the type of the catalog, from its URI where the type is not said; "" = neither tells.
func (p Properties) kind() string {
	if t := strings.ToLower(p["type"]); t != "" {
		return t
	}
	switch scheme, _, ok := strings.Cut(p["uri"], "://"); {
	case strings.HasPrefix(p["uri"], "jdbc:"):
		return "jdbc"
	case !ok:
		return ""
	case scheme == "sqlite", scheme == "sqlite+pysqlite":
		return "sql"
	case scheme == "http", scheme == "https":
		return "rest"
	case scheme == "thrift":
		return "hive"
	default:
		return scheme
	}
}

// Table returns the path or URL of the metadata of a table, or its URL in a metastore of Hive. name is NAMESPACE.TABLE. most
// bounds the bytes of an answer. lend takes the credentials that the catalog vends; nil = they are not used.
func (p Properties) Table(ctx context.Context, name string, most int64, lend Lend) (string, error) {
	parts, err := split(name)
	if err != nil {
		return "", err
	}
	switch kind := p.kind(); kind {
	case "rest":
		at, loans, err := p.rest(ctx, parts, most)
		if err != nil {
			return "", err
		}
		return at, lendAll(lend, loans, func(ctx context.Context) ([]Loan, error) {
			_, loans, err := p.rest(ctx, parts, most)
			return loans, err
		})
	case "hive":
		return p.hive(name, parts)
	case "sql", "jdbc":
		t, err := p.SQL(name)
		if err != nil {
			return "", err
		}
		return t.Location(ctx)
	case "":
		return "", errs.Errorf(errs.ErrOption, "the catalog's uri does not begin with http://, https://, thrift:// or sqlite:///, and no type is given")
	default:
		return "", errs.Errorf(errs.ErrUnsupported, "catalogs of type %.40q cannot be read, only rest, sql and hive: name the file *.metadata.json of the table", kind)
	}
}

// hive returns the URL of a table in a metastore of Hive.
func (p Properties) hive(name string, parts []string) (string, error) {
	server, ok := strings.CutPrefix(p["uri"], "thrift://")
	if !ok || strings.ContainsAny(server, "/,") || server == "" {
		return "", errs.Errorf(errs.ErrOption, "the uri %q of the catalog is not thrift://HOST:PORT", p["uri"])
	}
	if len(parts) > 3 {
		return "", errs.Errorf(errs.ErrOption, "%q is neither DATABASE.TABLE nor CATALOG.DATABASE.TABLE, as tables of Hive's metastore are named", name)
	}
	return "hive://" + server + "/" + name, nil
}

// Hive returns the URL of a table in the metastore that is the catalog; "" = the catalog has another type. name is
// DATABASE.TABLE or CATALOG.DATABASE.TABLE.
func (p Properties) Hive(name string) (string, error) {
	if p.kind() != "hive" {
		return "", nil
	}
	parts, err := split(name)
	if err != nil {
		return "", err
	}
	return p.hive(name, parts)
}

// Warehouse returns where new tables go, without a slash at its end; "" = the catalog does not say.
func (p Properties) Warehouse() string { return strings.TrimRight(p["warehouse"], "/") }

// split returns the namespace and the name of a table.
func split(name string) ([]string, error) {
	parts := strings.Split(name, ".")
	if len(parts) < 2 || slices.Contains(parts, "") || strings.ContainsAny(name, "/?#\x00\x1f") {
		return nil, errs.Errorf(errs.ErrOption, "%q is not NAMESPACE.TABLE", name)
	}
	return parts, nil
}
