//go:build !unix

package local

// MappedSource is a file that would be mapped into memory on other systems; here it is read with positioned reads.
type MappedSource struct{ FileSource }

// MapFile opens the regular file at path like OpenFile: this system has no mapping that fits.
func MapFile(path string) (*MappedSource, error) {
	s, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	return &MappedSource{*s}, nil
}

// syncDir does nothing: this system keeps names by itself.
func syncDir(string) error { return nil }
