package s3store

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// location is a URL of the scheme s3, or s3a as Hadoop has it: the key is what follows the bucket, as it is, without
// escapes.
type location struct {
	scheme, bucket, key string
}

func parse(url string) (location, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if !ok || bucket == "" {
		return location{}, errs.Errorf(errs.ErrOption, "%s names no bucket: want s3://BUCKET/KEY", url)
	}
	return location{scheme, bucket, key}, nil
}

func (l location) String() string { return l.with(l.key) }

// with returns the URL of another key of the bucket.
func (l location) with(key string) string { return l.scheme + "://" + l.bucket + "/" + key }

// prefix is what the keys below the location as a directory start with; "" = all keys of the bucket.
func (l location) prefix() string {
	if l.key == "" || strings.HasSuffix(l.key, "/") {
		return l.key
	}
	return l.key + "/"
}
