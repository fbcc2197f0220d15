//go:build !linux

package flight

import "net"

// limitUnacknowledged: only Linux has the option.
func limitUnacknowledged(net.Conn) {}
