package transport

import (
	"net"

	"golang.org/x/sys/unix"
)

// unacknowledged is how long, in milliseconds, the other side of a TCP connection may leave data unacknowledged. gRPC sets
// the same for connections that it knows to be of TCP.
const unacknowledged = 20_000

// limitUnacknowledged makes a connection end whose other side has vanished. It is no error where that cannot be set.
func limitUnacknowledged(c net.Conn) {
	t, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, unacknowledged)
	})
}
