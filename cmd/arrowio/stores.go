package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// storeFlags are the flags about stores and about directories in them.
type storeFlags struct {
	s3Endpoint  string
	s3Region    string
	s3PathStyle bool
	s3Insecure  bool
}

func (a *app) addStoreFlags(cmd *cobra.Command) {
	f, fs := &a.storeFlags, cmd.Flags()
	fs.StringVar(&f.s3Endpoint, "s3-endpoint", "", "where s3:// is: a host or an http(s):// `URL` (default: $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, or Amazon's)")
	fs.StringVar(&f.s3Region, "s3-region", "", "`REGION` of s3:// (default: $AWS_REGION, $AWS_DEFAULT_REGION, or asked of the store)")
	fs.BoolVar(&f.s3PathStyle, "s3-path-style", false, "name buckets in the path, not in the host (default: so for other endpoints than Amazon's)")
	fs.BoolVar(&f.s3Insecure, "s3-insecure", false, "without TLS, where the endpoint is no URL that says so")
}

// partitionFlags are the flags about directories KEY=VALUE.
type partitionFlags struct {
	mode  wordValue
	types string
}

func addPartitionFlags(cmd *cobra.Command) *partitionFlags {
	f := &partitionFlags{mode: wordValue{words: []string{"hive", "none"}, word: "hive"}}
	addWord(cmd, &f.mode, "partitions", "what directories KEY=VALUE below an INPUT are: hive = a column each; none = directories")
	cmd.Flags().StringVar(&f.types, "partition-types", "", "types of these columns: `KEY=TYPE,...` of utf8, int32, int64, date32 (default: told by their values)")
	return f
}

func (f *partitionFlags) options() (dataset.Partitions, error) {
	p := dataset.Partitions{Off: f.mode.word == "none"}
	if f.types == "" {
		return p, nil
	}
	var err error
	p.Types, err = dataset.PartitionTypes(f.types)
	return p, asUsage(err)
}

// places returns the stores of this run of the program. An interruption cancels requests that are in progress.
func (a *app) places(ctx context.Context) *stores.Stores {
	if a.stores == nil {
		o, f := stores.FromEnvironment(), &a.storeFlags
		if f.s3Endpoint != "" {
			o.S3.Endpoint = f.s3Endpoint
		}
		if f.s3Region != "" {
			o.S3.Region = f.s3Region
		}
		o.S3.PathStyle, o.S3.Insecure = f.s3PathStyle, f.s3Insecure
		a.stores = stores.New(o)
		a.unhook = context.AfterFunc(ctx, a.stores.Stop)
	}
	return a.stores
}

// leavePlaces closes what places has opened.
func (a *app) leavePlaces() error {
	if a.stores == nil {
		return nil
	}
	a.unhook()
	return a.stores.Close()
}
