package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// datasetsKey is the table of datasets in a config file, which is not a flag. It maps names to a path, to several paths, or to
// a table with pathKey and the options of that dataset.
const (
	datasetsKey = "datasets"
	pathKey     = "path"
)

// configure reads the config file, if there is one, and sets the flags that the command line has not set. It returns the
// NAME=PATH arguments, and those of the file whose names are not on the command line.
func (f *opsFlags) configure(cmd *cobra.Command, sql *sqlFlags, args []string) ([]string, error) {
	if f.config == "" {
		return args, nil
	}
	b, err := os.ReadFile(f.config)
	if err != nil {
		return nil, err
	}
	f.read = configFile{path: f.config, sum: sha256.Sum256(b)}
	var values map[string]any
	if err := toml.Unmarshal(b, &values); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			row, column := de.Position()
			return nil, inFile(f.config, usagef("line %d, column %d: %w", row, column, err))
		}
		return nil, inFile(f.config, asUsage(err))
	}
	args, err = f.withDatasets(args, values[datasetsKey])
	if err != nil {
		return nil, inFile(f.config, err)
	}
	delete(values, datasetsKey)
	if err := f.jwt.configure(values[jwtKey]); err != nil {
		return nil, inFile(f.config, err)
	}
	delete(values, jwtKey)
	if f.restrictions, err = restrictionsOf(values[restrictKey]); err != nil {
		return nil, inFile(f.config, err)
	}
	delete(values, restrictKey)
	if err := sql.configure(values[viewsKey]); err != nil {
		return nil, inFile(f.config, err)
	}
	delete(values, viewsKey)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := setFlag(cmd, key, values[key]); err != nil {
			return nil, inFile(f.config, err)
		}
	}
	return args, nil
}

func setFlag(cmd *cobra.Command, key string, value any) error {
	flag := cmd.LocalNonPersistentFlags().Lookup(key)
	if flag == nil || slices.Contains([]string{"config", "check-config", "help"}, key) {
		return usagef("there is no key %q: keys are the flags of arrowio serve, without dashes in front, and the tables %s, %s, %s and %s", key, datasetsKey, viewsKey, jwtKey, restrictKey)
	}
	if flag.Changed { // by the command line
		words, err := flagWords(flag, key, value)
		if several, ok := flag.Value.(pflag.SliceValue); ok && err == nil && (key == "schema" || key == "cast") { // of some datasets, perhaps; the last counts
			err = asUsage(several.Replace(append(words, several.GetSlice()...)))
		}
		return err
	}
	return setWords(cmd.Flags(), flag, key, value)
}

// flagWords returns a value of the file as values of a flag.
func flagWords(flag *pflag.Flag, key string, value any) ([]string, error) {
	words, err := configWords(value)
	if _, list := flag.Value.(pflag.SliceValue); err == nil && !list && len(words) != 1 {
		err = errors.New("it takes one value, not a list")
	}
	if err != nil {
		return nil, usagef("%s: %w", key, err)
	}
	return words, nil
}

// setWords sets a flag to a value of the file; nil = there is no such flag.
func setWords(fs *pflag.FlagSet, flag *pflag.Flag, key string, value any) error {
	if flag == nil {
		return usagef("there is no key %q", key)
	}
	words, err := flagWords(flag, key, value)
	if err != nil {
		return err
	}
	for _, w := range words {
		if err := fs.Set(key, w); err != nil {
			return asUsage(err)
		}
	}
	return nil
}

// configWords returns a value of the file as values of a flag.
func configWords(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool, int64, float64:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		out := []string{}
		for _, e := range v {
			w, err := configWords(e)
			if _, nested := e.([]any); err != nil || nested {
				return nil, errors.New("want a list of words")
			}
			out = append(out, w...)
		}
		return out, nil
	case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return nil, errors.New("dates and times are not allowed here")
	}
	return nil, errors.New("a table is not allowed here")
}

func (f *opsFlags) withDatasets(args []string, value any) ([]string, error) {
	if value == nil {
		return args, nil
	}
	table, ok := value.(map[string]any)
	if !ok {
		return nil, usagef("%s: want a table with NAME = PATH in each line", datasetsKey)
	}
	_, given, err := datasetArgs(args)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(args)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if given[name] != nil {
			continue
		}
		value := table[name]
		if own, ok := value.(map[string]any); ok {
			value = own[pathKey]
			if err := f.setOwn(name, own); err != nil {
				return nil, err
			}
		}
		paths, err := pathsOf(value)
		if err != nil {
			return nil, usagef("%s: %s: %w", datasetsKey, name, err)
		}
		for _, p := range paths {
			out = append(out, name+"="+p)
		}
	}
	return out, nil
}

// pathsOf returns the paths of a dataset.
func pathsOf(value any) (paths []string, err error) {
	switch v := value.(type) {
	case string:
		paths = []string{v}
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, errors.New("paths are strings")
			}
			paths = append(paths, s)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("want a path or a list of paths")
	}
	return paths, nil
}

// setOwn records the options in the table of a dataset.
func (f *opsFlags) setOwn(name string, table map[string]any) error {
	own := map[string][]string{}
	for key, v := range table {
		if key == pathKey {
			continue
		}
		words, err := configWords(v)
		if err == nil && len(words) == 0 {
			err = errors.New("want a value")
		}
		if err != nil {
			return usagef("%s: %s: %s: %w", datasetsKey, name, key, err)
		}
		own[key] = words
	}
	if f.own == nil {
		f.own = map[string]map[string][]string{}
	}
	f.own[name] = own
	return nil
}
