package kerberos

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	krb "github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Login logs in with the keytab of KRB5_CLIENT_KTNAME, whose first principal it is, or with the ticket that kinit left. Only tickets in
// files can be read. who asks for it, in errors.
func Login(who string) (*krb.Client, error) {
	c, err := login()
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption,
			"%s asks for Kerberos: %w; want a ticket of kinit in a file (KRB5CCNAME) or a keytab (KRB5_CLIENT_KTNAME)", who, err)
	}
	return c, nil
}

func login() (*krb.Client, error) {
	path := os.Getenv("KRB5_CONFIG")
	if path == "" {
		path = "/etc/krb5.conf"
	}
	conf, err := config.Load(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration in %s: %w", path, err)
	}
	if name := os.Getenv("KRB5_CLIENT_KTNAME"); name != "" {
		name = strings.TrimPrefix(name, "FILE:")
		kt, err := keytab.Load(name)
		if err != nil {
			return nil, fmt.Errorf("the keytab %s: %w", name, err)
		}
		if len(kt.Entries) == 0 {
			return nil, fmt.Errorf("the keytab %s is empty", name)
		}
		p := kt.Entries[0].Principal
		return krb.NewWithKeytab(strings.Join(p.Components, "/"), p.Realm, kt, conf, krb.DisablePAFXFAST(true)), nil
	}
	name := os.Getenv("KRB5CCNAME")
	if name == "" {
		u, err := user.Current()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(os.TempDir(), "krb5cc_"+u.Uid)
	}
	name = strings.TrimPrefix(name, "FILE:")
	if i := strings.IndexByte(name, ':'); i > 0 {
		return nil, fmt.Errorf("tickets of the kind %s cannot be read", name[:i])
	}
	cache, err := credentials.LoadCCache(name)
	if err != nil {
		return nil, fmt.Errorf("the ticket in %s: %w", name, err)
	}
	return krb.NewFromCCache(cache, conf, krb.DisablePAFXFAST(true))
}
