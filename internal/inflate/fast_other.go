//go:build !amd64 || purego

package inflate

func (d *Decoder) fast(dst, src []byte) { d.portable(dst, src) }
