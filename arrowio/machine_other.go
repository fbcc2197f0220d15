//go:build 386 || arm || mips || mipsle || mips64 || ppc64 || s390x || wasm

package arrowio

// This module does not compile for machines of 32 bits, where Arrow's decimals come out wrong (decimal128.FromBigInt takes
// words of math/big for 64 bits), nor for big-endian ones, where the buffers that are decoded would have the wrong byte order.
const needsLittleEndianMachineOf64Bits uint8 = 1 << 8
