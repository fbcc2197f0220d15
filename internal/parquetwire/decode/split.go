package decode

import "encoding/binary"

// Join decodes BYTE_STREAM_SPLIT: byte j of value i of src, which has count values of width bytes, stands at
// j*count+i. The values from first on go to dst, as many as it takes.
func Join(dst, src []byte, width, count, first int) {
	n := len(dst) / width
	switch width {
	case 4:
		a, b, c, d := src[first:][:n], src[count+first:][:n], src[2*count+first:][:n], src[3*count+first:][:n]
		for i := range n {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(a[i])|uint32(b[i])<<8|uint32(c[i])<<16|uint32(d[i])<<24)
		}
	case 8:
		var s [8][]byte
		for j := range s {
			s[j] = src[j*count+first:][:n]
		}
		a, b, c, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		a, b, c, d, e, f, g, h = a[:n], b[:n], c[:n], d[:n], e[:n], f[:n], g[:n], h[:n]
		for i := range n {
			lo := uint32(a[i]) | uint32(b[i])<<8 | uint32(c[i])<<16 | uint32(d[i])<<24
			hi := uint32(e[i]) | uint32(f[i])<<8 | uint32(g[i])<<16 | uint32(h[i])<<24
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(lo)|uint64(hi)<<32)
		}
	default:
		for j := range width {
			for i, v := range src[j*count+first:][:n] {
				dst[i*width+j] = v
			}
		}
	}
}
