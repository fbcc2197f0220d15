package stores

import (
	"time"

	"github.com/arrowio/arrowio/internal/hdfsstore"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/s3store"
)

// Options says how stores are reached. Of what is zero the defaults hold, which look at no environment but where the
// store's own tools keep credentials and configuration.
type Options struct {
	S3   S3Options
	HDFS HDFSOptions
}

// S3Options says where S3 is.
type S3Options struct {
	Endpoint  string // a host, with a port or without, or a URL; "" = Amazon's
	Region    string // "" = asked of Amazon; other endpoints are told us-east-1
	PathStyle bool   // the bucket stands in the path, not in the host; other endpoints than Amazon's are always asked so
	Insecure  bool   // without TLS, where the endpoint is no URL that says so

	Requests  int   // at once; default 16
	PartBytes int64 // of an upload; default 8 MiB, at least 5
	Retry     Retry
}

// HDFSOptions says how clusters of HDFS are reached. The rest is as Hadoop's own tools have it: the configuration in
// HADOOP_CONF_DIR, tickets and keys of Kerberos where it asks for them.
type HDFSOptions struct {
	User     string // "" = HADOOP_USER_NAME, or else the user of the process; not where there is Kerberos
	Requests int    // at once; default 16
	Retry    Retry
}

// Retry says how often a request is tried, and how long one may take. The zero value is the default.
type Retry struct {
	Attempts int           // of one request; default 8
	Wait     time.Duration // before the second attempt, twice as long before each further one; default 200 ms
	MaxWait  time.Duration // default 10 s
	Stall    time.Duration // an attempt that gives no byte for so long has failed; default 30 s
}

// FromEnvironment returns the options that the environment gives, in the variables of the stores' own tools:
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION.
func FromEnvironment() Options {
	e := s3store.FromEnvironment()
	return Options{S3: S3Options{Endpoint: e.Endpoint, Region: e.Region}}
}

func (o S3Options) client() s3store.Options {
	return s3store.Options{
		Endpoint: o.Endpoint, Region: o.Region, PathStyle: o.PathStyle, Insecure: o.Insecure,
		Requests: o.Requests, PartBytes: o.PartBytes, Retry: remote.Policy(o.Retry),
	}
}

func (o HDFSOptions) client() hdfsstore.Options {
	return hdfsstore.Options{User: o.User, Requests: o.Requests, Retry: remote.Policy(o.Retry)}
}
