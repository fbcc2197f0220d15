package icebergcatalog

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Loan says how the files below a URL of S3 are asked for: with credentials that the catalog vends, and where the store is.
type Loan struct {
	URL      string
	Settings map[string]string // by the names of loanSettings
}

// loanSettings are the properties of tables and catalogs that say how S3 is asked, by Iceberg's names.
var loanSettings = []string{
	settingKey, settingSecret, settingToken, settingExpires, "s3.endpoint", "s3.region", "client.region", "s3.path-style-access",
}

const (
	settingKey     = "s3.access-key-id"
	settingSecret  = "s3.secret-access-key"
	settingToken   = "s3.session-token"
	settingExpires = "s3.session-token-expires-at-ms"
	settingSigning = "s3.remote-signing-enabled"
)

// delegation asks a catalog for credentials. A catalog that has none to give passes it over.
const delegation = "X-Iceberg-Access-Delegation"

// Lend is what takes loans: see arrowio.OpenOptions.Lend.
type Lend func(url string, settings map[string]string, again func(ctx context.Context) (map[string]string, error)) error

// answered is the answer about a table.
type answered struct {
	Location    string            `json:"metadata-location"`
	Metadata    json.RawMessage   `json:"metadata"`
	Config      map[string]string `json:"config"`
	Credentials []struct {
		Prefix string            `json:"prefix"`
		Config map[string]string `json:"config"`
	} `json:"storage-credentials"`
}

// loans returns how the files of the table are asked for; own are the properties of the catalog. Only the directory of the table and that of its
// metadata are lent for, since what a catalog says of other URLs would hold for other tables, too.
func (a *answered) loans(own map[string]string) (out []Loan, err error) {
	var table struct{ Location string }
	_ = json.Unmarshal(a.Metadata, &table) // who needs the metadata says what is wrong with them
	dirs := []string{plain(table.Location)}
	if at := plain(a.Location); at != "" && !below(at, dirs[0]) {
		dirs = append(dirs, at[:strings.LastIndexByte(at, '/')])
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		given := maps.Clone(a.Config)
		longest := -1
		for _, c := range a.Credentials {
			if p := plainPrefix(c.Prefix); len(p) > longest && strings.HasPrefix(dir+"/", p) {
				longest = len(p)
				given = maps.Clone(a.Config)
				if given == nil {
					given = map[string]string{}
				}
				merge(given, c.Config)
			}
		}
		all := maps.Clone(own)
		merge(all, given)
		if strings.EqualFold(all[settingSigning], "true") && !strings.EqualFold(own[settingSigning], "false") && all[settingKey] == "" {
			return nil, errs.Errorf(errs.ErrUnsupported, "the catalog wants to sign requests to S3 itself (%s), which cannot be done: have it vend credentials, or say %s=false to use those of this machine", settingSigning, settingSigning)
		}
		l := Loan{dir, map[string]string{}}
		for _, name := range loanSettings {
			if v := all[name]; v != "" {
				l.Settings[name] = v
			}
		}
		if len(l.Settings) > 0 {
			out = append(out, l)
		}
	}
	return out, nil
}

// merge adds properties to others. Keys come with all that belongs to them.
func merge(to, from map[string]string) {
	if from[settingKey] != "" {
		for _, name := range []string{settingSecret, settingToken, settingExpires} {
			delete(to, name)
		}
	}
	maps.Copy(to, from)
}

// plainPrefix is the beginning of URLs of S3 in the form of plain, without what stands behind it being a directory.
func plainPrefix(prefix string) string {
	for _, scheme := range []string{"s3a", "s3n"} {
		if rest, ok := strings.CutPrefix(prefix, scheme+"://"); ok {
			return "s3://" + rest
		}
	}
	return prefix
}

// plain returns a URL of S3 with one scheme, and without a slash at its end; "" = it is of no bucket of S3, or not in its simplest form.
func plain(url string) string {
	rest, ok := strings.CutPrefix(plainPrefix(url), "s3://")
	rest = strings.TrimRight(rest, "/")
	if !ok || rest == "" || path.Clean("/"+rest) != "/"+rest {
		return ""
	}
	return "s3://" + rest
}

func below(url, dir string) bool { return dir != "" && strings.HasPrefix(url, dir+"/") }

// lendAll hands on the loans of a table. again asks for them anew, when they end.
func lendAll(lend Lend, loans []Loan, again func(ctx context.Context) ([]Loan, error)) error {
	if lend == nil {
		return nil
	}
	for _, l := range loans {
		err := lend(l.URL, l.Settings, func(ctx context.Context) (map[string]string, error) {
			now, err := again(ctx)
			if err != nil {
				return nil, err
			}
			for _, n := range now {
				if n.URL == l.URL {
					return n.Settings, nil
				}
			}
			return nil, errs.Errorf(errs.ErrUnsupported, "the catalog vends no credentials for %s any more", l.URL)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
