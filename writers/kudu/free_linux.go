package kudu

import "golang.org/x/sys/unix"

// reservedPart is what Kudu keeps free of a disk: one part of so many (--fs_data_dirs_reserved_bytes).
const reservedPart = 100

// freeBytes returns how many bytes Kudu would still write to a directory, and which file system it is on.
func freeBytes(dir string) (free int64, disk uint64, err error) {
	if disk, err = diskOf(dir); err != nil {
		return 0, 0, err
	}
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail-min(s.Bavail, s.Blocks/reservedPart)) * s.Bsize, disk, nil
}
