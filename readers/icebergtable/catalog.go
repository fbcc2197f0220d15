package icebergtable

import (
	"context"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergcatalog"
	"github.com/arrowio/arrowio/internal/options"
)

// openNamed implements arrowio.Format.OpenNamed: it finds the metadata of the table that iceberg://CATALOG/NAMESPACE.TABLE names.
func openNamed(ctx context.Context, url string, oo arrowio.OpenOptions) (fragments []arrowio.Fragment, metadata string, given map[string]string, err error) {
	_, rest, _ := strings.Cut(url, "://")
	catalog, name, _ := strings.Cut(rest, "/")
	if catalog == "" || name == "" {
		return nil, "", nil, errs.Errorf(errs.ErrOption, "%q is not iceberg://CATALOG/NAMESPACE.TABLE", url)
	}
	set := icebergcatalog.Properties{}
	for _, text := range options.Values(oo.Options[optionCatalog]) {
		k, v, ok := strings.Cut(text, "=")
		if !ok || k == "" {
			return nil, "", nil, errs.Errorf(errs.ErrOption, "%s is not PROPERTY=VALUE", optionCatalog) // it may be a secret
		}
		set[k] = v
	}
	p, err := icebergcatalog.Find(catalog, set)
	if err != nil {
		return nil, "", nil, err
	}
	said, err := p.Table(ctx, name, oo.Limits.WithDefaults().MetadataBytes, oo.Lend)
	if err != nil {
		return nil, "", nil, err
	}
	o, err := parseOptions(oo.Options)
	if err != nil {
		return nil, "", nil, err
	}
	for _, m := range o.moves {
		if rest, ok := cutPrefix(said, m.From); ok {
			return nil, iceberg.PlainPath(strings.TrimRight(m.To, "/") + "/" + rest), nil, nil
		}
	}
	return nil, iceberg.PlainPath(said), nil, nil
}
