// Package s3store reads and writes objects of S3 and of stores that speak its protocol: ranges of objects that must stay
// the ones that were opened, prefixes as directories, and outputs that appear when they are complete.
//
// The requests are made, signed and, but for reads in their middle, tried again by minio-go.
package s3store
