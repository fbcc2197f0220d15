//go:build !linux

package transport

import "net"

// limitUnacknowledged: only Linux has the option.
func limitUnacknowledged(net.Conn) {}
