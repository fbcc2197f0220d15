package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/flight/page"
)

// listenPage opens the address of the web page.
func (p *ops) listenPage(server *flight.Server) (err error) {
	if p.http == "" {
		return nil
	}
	l, err := net.Listen("tcp", p.http)
	if err != nil {
		return p.held(server, err)
	}
	if err := p.explain(server.CheckAddress(l.Addr())); err != nil {
		return errors.Join(err, l.Close())
	}
	p.page = l
	return nil
}

// pageURL returns the URL of the web page; "" = there is none.
func (p *ops) pageURL() string {
	switch {
	case p.page == nil:
		return ""
	case p.cert != "":
		return "https://" + p.page.Addr().String() + "/"
	}
	return "http://" + p.page.Addr().String() + "/"
}

// servePage answers requests for the web page until stop is called, which cancels requests that are in progress.
func (p *ops) servePage(server *flight.Server, listeners []net.Listener) (stop func(), err error) {
	if p.page == nil {
		return func() {}, nil
	}
	var addresses []string
	for _, l := range listeners {
		addresses = append(addresses, flight.URI(l.Addr(), p.cert != ""))
	}
	handler := page.New(page.Options{Server: server, Addresses: addresses, AnyHost: p.known, Logger: p.log})
	h := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	serve := func() error { return h.Serve(p.page) }
	if p.cert != "" {
		if h.TLSConfig, err = flight.TLSConfig(p.tlsFiles(), "h2", "http/1.1"); err != nil {
			return nil, err
		}
		serve = func() error { return h.ServeTLS(p.page, "", "") }
	}
	p.log.Info("page", "address", p.pageURL())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the page ended", "error", err.Error())
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Shutdown(ctx) // what takes longer is cut off
		_ = h.Close()
		<-ended
		handler.Close()
	}, nil
}
