package main

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"syscall"

	"github.com/arrowio/arrowio/flight"
)

// held lets --check-config pass over an address that is in use: most likely by the server that runs with this
// configuration. Whether it may be served is asked all the same.
func (p *ops) held(server *flight.Server, err error) error {
	if !p.check || !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	var oe *net.OpError
	if errors.As(err, &oe) && oe.Addr != nil {
		if err := p.explain(server.CheckAddress(oe.Addr)); err != nil {
			return err
		}
	}
	p.log.Warn("an address is in use and was not tried", "error", err.Error())
	return nil
}

// checkAdvertised refuses locations at which no client could read.
func checkAdvertised(uris []string) error {
	for _, uri := range uris {
		u, err := url.Parse(uri)
		place := err == nil && (u.Host != "" && u.Port() != "" && slices.Contains([]string{"grpc", "grpc+tcp", "grpc+tls"}, u.Scheme) ||
			u.Scheme == "grpc+unix" && u.Path != "" || u.Scheme == "arrow-flight-reuse-connection")
		if !place {
			return usagef("serve: --advertise %q is not where clients can read, such as grpc://HOST:PORT, grpc+tls://HOST:PORT or grpc+unix:///PATH", uri)
		}
	}
	return nil
}
