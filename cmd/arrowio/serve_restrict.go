package main

import (
	"errors"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/flight"
)

// restrictKey is the list of tables in a config file that narrow what clients may read.
const restrictKey = "restrict"

// tablesOf returns the tables [[key]] of a config file.
func tablesOf(key string, value any) ([]map[string]any, error) {
	list, ok := value.([]any)
	out := make([]map[string]any, len(list))
	for i, t := range list {
		if out[i], ok = t.(map[string]any); !ok {
			break
		}
	}
	if value != nil && !ok {
		return nil, usagef("%s: %w", key, errors.New("want tables [["+key+"]]"))
	}
	return out, nil
}

// restrictionsOf reads the tables of a config file.
func restrictionsOf(value any) ([]flight.Restriction, error) {
	tables, err := tablesOf(restrictKey, value)
	if err != nil {
		return nil, err
	}
	var out []flight.Restriction
	for _, table := range tables {
		var r flight.Restriction
		fs := pflag.NewFlagSet(restrictKey, pflag.ContinueOnError)
		fs.StringArrayVar(&r.Clients, "clients", nil, "")
		fs.StringArrayVar(&r.Except, "except", nil, "")
		fs.StringArrayVar(&r.Datasets, "datasets", nil, "")
		fs.StringArrayVar(&r.Columns, "columns", nil, "")
		fs.StringVar(&r.Where, "where", "", "")
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := setWords(fs, fs.Lookup(key), key, table[key]); err != nil {
				return nil, usagef("%s: %w", restrictKey, err)
			}
		}
		if fs.Changed("where") && r.Where == "" {
			return nil, usagef("%s: where is empty", restrictKey)
		}
		if _, given := table["columns"]; given && r.Columns == nil { // an empty list is no column
			r.Columns = []string{}
		}
		out = append(out, r)
	}
	return out, nil
}
