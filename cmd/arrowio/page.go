package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// openPage is openStore for a page for a browser. Of what is there it replaces nothing but a page.
func (a *app) openPage(ctx context.Context, in []string, out string, force bool) (arrowio.Store, error) {
	if strings.HasPrefix(out, "-") && out != "-" {
		return nil, usagef("--html: FILE is missing, or its name begins with a dash: write ./%s for that", out)
	}
	if out != "-" && slices.Contains(in, out) {
		return nil, usagef("--html %s: it is an INPUT; name another FILE", out)
	}
	if err := checkPage(out, force); err != nil {
		return nil, err
	}
	return a.openStore(ctx, arrowio.OutputFormat{Name: "html"}, out, force, false)
}

// checkPage returns an error if what is at a local path is no page: data that a report would replace cannot be had again.
func checkPage(out string, force bool) error {
	name, isLocal := stores.Local(out)
	if !isLocal || out == "-" {
		return nil
	}
	fi, err := os.Stat(name)
	switch {
	case err != nil:
		return nil // it is not there, or whoever creates it says why it cannot be
	case fi.IsDir():
		return usagef("--html %s: it is a directory; name a file in it", out)
	case !fi.Mode().IsRegular() || !force:
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return inFile(out, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	start := make([]byte, len(pageStart))
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return inFile(out, err)
	}
	if n > 0 && !bytes.EqualFold(start[:n], []byte(pageStart)) {
		return usagef("--html %s: it is there and is no page of HTML; remove it, or name another FILE", out)
	}
	return nil
}

// pageStart begins every page.
const pageStart = "<!doctype html>"
