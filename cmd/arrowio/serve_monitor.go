package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/arrowio/arrowio/flight"
)

// startMonitor answers at the address of the monitor until stop is called. Before the catalog is open it says that the server is alive,
// and not ready.
func (p *ops) startMonitor(server *flight.Server) (stop func(), err error) {
	stop = func() {}
	if p.metricsListen == "" {
		return stop, nil
	}
	l, err := net.Listen("tcp", p.metricsListen)
	if err != nil {
		return stop, p.held(server, err)
	}
	if err := p.explain(server.CheckAddress(l.Addr())); err != nil || p.check {
		return stop, errors.Join(err, l.Close())
	}
	p.log.Info("monitor", "address", "http://"+l.Addr().String())
	p.hideNames(server, l.Addr())
	h := &http.Server{
		Handler: flight.MonitorHandler(p.metrics, p.health), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the monitor ended", "error", err.Error())
		}
	}()
	return func() { _ = h.Close(); <-ended }, nil
}

// hideNames has the metrics tell no names of datasets at an address that others can reach, where clients must say who they are,
// except to clients that may manage the server.
func (p *ops) hideNames(server *flight.Server, address net.Addr) {
	if !p.access.Known() || flight.Local(address) {
		return
	}
	p.metrics.Names = func(r *http.Request) bool {
		if r.Header.Get("Authorization") == "" {
			return false
		}
		host, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
		if err != nil {
			return false
		}
		manages := false
		err = server.Visit(r.Context(), flight.Visitor{Addr: host, TLS: r.TLS, Authorization: r.Header.Values("Authorization")}, func(ctx context.Context, v *flight.Visit) error {
			manages = v.Manages(ctx)
			return nil
		})
		return err == nil && manages
	}
	p.log.Warn("the monitor can be reached from outside: its metrics name datasets only to clients with a token that may manage the server")
}
