package stores

import (
	"time"

	"github.com/arrowio/arrowio/internal/hdfsstore"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/s3store"
)

// Options says how to reach stores. The zero value is the default. It reads no environment variables except those in which the
// stores' own tools keep credentials and configuration.
type Options struct {
	S3   S3Options
	HDFS HDFSOptions
	// Others are stores of the program's own, by the scheme of their URLs, in lower case. They come before S3 and HDFS. Local paths and
	// file:// stay those of this machine. The program closes them, after Stores.
	Others map[string]Place
}

// S3Options says where S3 is.
type S3Options struct {
	Endpoint  string // a host, with a port or without, or a URL; "" = Amazon's
	Region    string // "" = the bucket's at Amazon, us-east-1 at other endpoints
	PathStyle bool   // put the bucket into the path of URLs, not into the host; always so at other endpoints than Amazon's
	Insecure  bool   // without TLS, if Endpoint is not a URL, which tells it

	AccessKey    string // with SecretKey: the credentials; "" = those that Amazon's own tools would find
	SecretKey    string
	SessionToken string // of temporary credentials
	Profile      string // of the files of Amazon's tools; "" = AWS_PROFILE, or the default one
	Anonymous    bool   // do not look for credentials

	Requests  int   // at once; default 16
	PartBytes int64 // of an upload; default 8 MiB, at least 5
	Retry     Retry
}

// HDFSOptions says how to reach HDFS clusters. Everything else is read as Hadoop's own tools read it: the configuration in
// HADOOP_CONF_DIR, and Kerberos tickets and keys if the configuration asks for them.
type HDFSOptions struct {
	User     string // "" = HADOOP_USER_NAME, or else the user of the process; not used with Kerberos
	Requests int    // at once; default 16
	Retry    Retry
}

// Retry says how often a request is tried, and for how long. The zero value is the default.
type Retry struct {
	Attempts int           // for one request; default 8
	Wait     time.Duration // before the second attempt; it doubles before each further one; default 200 ms
	MaxWait  time.Duration // the longest wait; default 10 s
	Stall    time.Duration // an attempt that receives no byte for this long has failed; default 30 s
}

// FromEnvironment returns the options that are set by the environment variables of the stores' own tools: AWS_ENDPOINT_URL_S3,
// AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION.
func FromEnvironment() Options {
	e := s3store.FromEnvironment()
	return Options{S3: S3Options{Endpoint: e.Endpoint, Region: e.Region}}
}

func (o S3Options) client() s3store.Options {
	return s3store.Options{
		Endpoint: o.Endpoint, Region: o.Region, PathStyle: o.PathStyle, Insecure: o.Insecure,
		AccessKey: o.AccessKey, SecretKey: o.SecretKey, SessionToken: o.SessionToken, Profile: o.Profile, Anonymous: o.Anonymous,
		Requests: o.Requests, PartBytes: o.PartBytes, Retry: remote.Policy(o.Retry),
	}
}

func (o HDFSOptions) client() hdfsstore.Options {
	return hdfsstore.Options{User: o.User, Requests: o.Requests, Retry: remote.Policy(o.Retry)}
}
