package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/flight"
)

// jwtKey is the list of tables in a config file that are issuers of JWTs. Their keys are the flags, without jwtKey and a dash in
// front.
const jwtKey = "jwt"

// jwtFlags are the flags of serve for JWTs of one issuer; others are in the config file.
type jwtFlags struct {
	one    jwtIssuerFlags
	tables []flight.JWTIssuer
}

// jwtIssuerFlags say which tokens of an issuer are taken.
type jwtIssuerFlags struct {
	issuer, keys, ca, name, prefix string
	audiences, algorithms, roles   []string
	skew                           time.Duration
}

func (f *jwtIssuerFlags) add(fs *pflag.FlagSet, front string) {
	fs.StringVar(&f.issuer, front+"issuer", "", "take JWTs of this issuer as bearer tokens: `URL` is their claim iss, exactly; several issuers in the config file")
	fs.StringArrayVar(&f.audiences, front+"audience", nil, "`NAME` of this server in their claim aud; may be given several times")
	fs.StringVar(&f.keys, front+"keys", "", "`URL|FILE` of the issuer's public keys, a JSON Web Key Set (default: what the issuer's /.well-known/openid-configuration names)")
	fs.StringVar(&f.ca, front+"ca", "", "trust servers of keys by the authorities of this PEM `FILE` (default: the system's)")
	fs.StringArrayVar(&f.algorithms, front+"algorithm", nil, "take only signatures of this `ALGORITHM`: "+strings.Join(flight.JWTAlgorithms(), ", ")+"; may be given several times (default: all of these)")
	fs.StringVar(&f.name, front+"name", "sub", "the `CLAIM` that says who a client is, a.b is b within a")
	fs.StringVar(&f.prefix, front+"prefix", "", "`TEXT` to put before names and roles, so that they differ from those of others")
	fs.StringArrayVar(&f.roles, front+"roles", nil, "a `CLAIM` that lists roles, for --permit role:ROLE:...; may be given several times")
	fs.DurationVar(&f.skew, front+"skew", 30*time.Second, "how far the issuer's clock may differ (default 30s)")
}

// given returns the issuer.
func (f *jwtIssuerFlags) given() (flight.JWTIssuer, error) {
	j := flight.JWTIssuer{
		Issuer: f.issuer, Audiences: f.audiences, Keys: f.keys, CA: f.ca, Algorithms: f.algorithms, Name: f.name, Prefix: f.prefix,
		Roles: f.roles, Skew: f.skew,
	}
	if f.skew < 0 {
		return j, usagef("serve: the skew of JWTs is %s; it may be 0 or more", f.skew)
	}
	if f.skew == 0 {
		j.Skew = -1
	}
	return j, nil
}

// any reports whether there is an issuer.
func (f *jwtFlags) any() bool { return f.one.issuer != "" || len(f.tables) > 0 }

// issuers returns those of the flags and of the config file.
func (f *jwtFlags) issuers() ([]flight.JWTIssuer, error) {
	one, err := f.one.given()
	switch {
	case err != nil:
		return nil, err
	case f.one.issuer == "" && (len(one.Audiences)+len(one.Algorithms)+len(one.Roles) > 0 || one.Keys != "" || one.CA != "" || one.Prefix != ""):
		return nil, usagef("serve: --jwt-issuer is missing, which other flags of JWTs are about")
	case f.one.issuer == "":
		return f.tables, nil
	}
	return append([]flight.JWTIssuer{one}, f.tables...), nil
}

// configure reads the tables of a config file.
func (f *jwtFlags) configure(value any) error {
	tables, err := tablesOf(jwtKey, value)
	if err != nil {
		return err
	}
	for _, table := range tables {
		var one jwtIssuerFlags
		fs := pflag.NewFlagSet(jwtKey, pflag.ContinueOnError)
		one.add(fs, "")
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := setWords(fs, fs.Lookup(key), key, table[key]); err != nil {
				return usagef("%s: %w", jwtKey, err)
			}
		}
		j, err := one.given()
		if err != nil {
			return err
		}
		f.tables = append(f.tables, j)
	}
	return nil
}
