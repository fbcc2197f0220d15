package transport

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Listen listens at a Flight URI: grpc://HOST:PORT (grpc+tcp, grpc+tls) or unix:///PATH (grpc+unix). HOST:PORT alone is
// taken for grpc://. A socket is made for this user only; one that a server has left behind is replaced.
func Listen(uri string) (net.Listener, error) {
	network, address, err := parseAddress(uri)
	if err != nil {
		return nil, err
	}
	if network == "unix" {
		return listenUnix(address)
	}
	return net.Listen(network, address)
}

func parseAddress(uri string) (network, address string, err error) {
	bad := func(why string) (string, string, error) {
		return "", "", errs.Errorf(errs.ErrOption, "%q is no address to listen at, such as grpc://127.0.0.1:8815 or unix:///run/arrowio.sock: %s", uri, why)
	}
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok {
		if path, unix := strings.CutPrefix(uri, "unix:"); unix {
			scheme, rest = "unix", path
		} else {
			scheme, rest = "grpc", uri
		}
	}
	switch scheme {
	case "grpc", "grpc+tcp", "grpc+tls":
		host, port, err := net.SplitHostPort(rest)
		if err != nil {
			return bad("it wants HOST:PORT")
		}
		return "tcp", net.JoinHostPort(host, port), nil
	case "unix", "grpc+unix":
		path, err := url.PathUnescape(rest)
		if err != nil || path == "" {
			return bad("it wants a path")
		}
		return "unix", path, nil
	}
	return bad("unknown scheme: want grpc, grpc+tcp, grpc+tls, unix or grpc+unix")
}

// listenUnix makes a socket that only this user may use.
func listenUnix(path string) (net.Listener, error) {
	if fi, err := os.Lstat(path); err == nil {
		if fi.Mode()&fs.ModeSocket == 0 {
			return nil, errs.Errorf(errs.ErrOption, "%s exists, and is no socket", path)
		}
		c, err := net.DialTimeout("unix", path, time.Second)
		if err == nil {
			_ = c.Close()
			return nil, errs.Errorf(errs.ErrOption, "%s: another server listens there: %w", path, syscall.EADDRINUSE)
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// URI returns how clients name an address that is listened at.
func URI(a net.Addr, tls bool) string {
	switch {
	case a.Network() == "unix":
		return "grpc+unix://" + a.String()
	case tls:
		return "grpc+tls://" + a.String()
	}
	return "grpc://" + a.String()
}

// Local reports whether only this machine can reach an address.
func Local(a net.Addr) bool {
	switch a := a.(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	}
	return a.Network() == "bufconn" // in the process
}
