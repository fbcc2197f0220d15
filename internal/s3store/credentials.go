package s3store

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// instanceTimeout bounds the question whether this machine is one of Amazon's, which others do not answer.
const instanceTimeout = 2 * time.Second

// found is what the search for credentials came to.
type found struct {
	*credentials.Credentials
	anonymous bool
	tried     string // what had none, for messages
}

// findCredentials asks, in this order, the environment, the files of Amazon's tools, and where the program runs: a
// container or a pod with a role, and, if amazon, an instance with one. Nobody having any means that objects are read
// without; somebody meant to have them and failing is an error. What o says is used instead.
func findCredentials(ctx context.Context, amazon bool, o Options) (found, error) {
	switch keys := o.AccessKey != "" || o.SecretKey != ""; {
	case keys && (o.AccessKey == "" || o.SecretKey == ""):
		return found{}, errs.Errorf(errs.ErrOption, "an access key and a secret key for S3 are only used together, and one is missing")
	case o.SessionToken != "" && !keys:
		return found{}, errs.Errorf(errs.ErrOption, "a session token for S3 is only used with an access key and a secret key")
	case keys && o.Profile != "" || o.Anonymous && (keys || o.Profile != ""):
		return found{}, errs.Errorf(errs.ErrOption, "of keys, a profile and anonymous access to S3, only one can be chosen")
	case keys:
		return found{Credentials: credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken)}, nil
	case o.Anonymous:
		return withoutCredentials("they were not looked for"), nil
	case o.Profile != "":
		c := credentials.New(&credentials.FileAWSCredentials{Profile: o.Profile})
		v, err := c.GetWithContext(&credentials.CredContext{Client: http.DefaultClient, Context: ctx})
		if err == nil && (v.AccessKeyID == "" || v.SecretAccessKey == "") {
			err = errors.New("there are none")
		}
		if err != nil {
			return found{}, errs.Errorf(errs.ErrOption, "the credentials for S3 of the profile %q: %w", o.Profile, err)
		}
		return found{Credentials: c}, nil
	}
	role := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" || os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" ||
		os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != ""
	instance := amazon && !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true")
	var tried []string
	for _, c := range []struct {
		name  string
		use   bool
		meant bool // somebody has set it up
		from  credentials.Provider
	}{
		{"environment", true, false, &credentials.EnvAWS{}},
		{"environment of MinIO", true, false, &credentials.EnvMinio{}},
		{"shared files", true, os.Getenv("AWS_PROFILE") != "", &credentials.FileAWSCredentials{}},
		{"role", role, true, &credentials.IAM{}},
		{"instance", instance && !role, false, &credentials.IAM{Client: &http.Client{Timeout: instanceTimeout}}},
	} {
		if !c.use {
			continue
		}
		v, err := c.from.RetrieveWithCredContext(&credentials.CredContext{Client: http.DefaultClient, Context: ctx})
		switch {
		case ctx.Err() != nil:
			return found{}, ctx.Err()
		case err == nil && v.AccessKeyID != "" && v.SecretAccessKey != "":
			return found{Credentials: credentials.New(c.from)}, nil
		case err == nil:
			err = errors.New("none")
		}
		if c.meant {
			return found{}, errs.Errorf(errs.ErrOption, "the credentials for S3 from the %s: %w", c.name, err)
		}
		tried = append(tried, c.name)
	}
	return withoutCredentials(strings.Join(tried, ", ")), nil
}

// withoutCredentials returns anonymous access; tried is why.
func withoutCredentials(tried string) found {
	return found{
		Credentials: credentials.NewStatic("", "", "", credentials.SignatureAnonymous),
		anonymous:   true,
		tried:       tried,
	}
}
