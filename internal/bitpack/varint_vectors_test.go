//go:build amd64 && !purego

package bitpack

func init() {
	VarintsWith = func(vectors bool) bool {
		useBMI2 = vectors && hasBMI2()
		return hasBMI2()
	}
}
