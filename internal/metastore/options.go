package metastore

import (
	"os"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Names of the options of formats that say how to reach a metastore.
const (
	optionTLS       = "hive-tls"
	optionPrincipal = "hive-principal"
	optionUser      = "hive-user"
	passwordKey     = "ARROWIO_HIVE_PASSWORD" //nolint:gosec // the name of a variable
)

// ConnectionOptions are those options.
func ConnectionOptions() []arrowio.Option {
	return []arrowio.Option{
		{Name: optionTLS, Usage: "connect to the metastore with TLS: true, or the path of a PEM file with the certificates to check the server against", Default: "false"},
		{Name: optionPrincipal, Usage: "log in to the metastore with Kerberos: its principal, such as hive/_HOST@REALM", Default: "none"},
		{Name: optionUser, Usage: "log in to the metastore as this user, with the password in " + passwordKey + " (SASL PLAIN)", Default: "none"},
	}
}

// Read sets what the options of ConnectionOptions say.
func (o *Options) Read(given map[string]string) error {
	switch text := given[optionTLS]; text {
	case "", "false":
	case "true":
		o.TLS = true
	default:
		o.TLS, o.Certificates = true, text
	}
	if text := given[optionPrincipal]; text != "" && text != "none" {
		o.Principal = text
	}
	if text := given[optionUser]; text != "" && text != "none" {
		o.User, o.Password = text, os.Getenv(passwordKey)
	}
	switch {
	case o.Principal != "" && o.User != "":
		return errs.Errorf(errs.ErrOption, "%w and %w are two ways to log in: give one", errs.Opt(optionPrincipal, ""), errs.Opt(optionUser, ""))
	case o.User != "" && o.Password == "":
		return errs.Errorf(errs.ErrOption, "%w: the password is missing in %s", errs.Opt(optionUser, ""), passwordKey)
	case o.Principal != "" && !strings.Contains(o.Principal, "/"):
		return errs.Errorf(errs.ErrOption, "%w is %q, which is not SERVICE/HOST or SERVICE/HOST@REALM", errs.Opt(optionPrincipal, ""), o.Principal)
	}
	return nil
}
