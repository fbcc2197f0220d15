// Package s3fake is an S3 server within a test, gofakes3 with what it lacks of Amazon's manners, that counts its requests
// and misbehaves when it is told to.
package s3fake
