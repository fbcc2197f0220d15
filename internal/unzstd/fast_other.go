//go:build !amd64 || purego

package unzstd

// Fast says whether this machine has what the fast loops are written for. The others are slower than klauspost's.
func Fast() bool { return false }

func (d *Decoder) fast(dst, src []byte, from int) error { return nil }

func (d *Decoder) single(dst []byte) int { return 0 }

func (d *Decoder) four(dst []byte, size int) int { return 0 }

func reverseFast(dst, src []byte) int { return 0 }
