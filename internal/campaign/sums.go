package campaign

import "hash/crc32"

var castagnoliTable = crc32.MakeTable(crc32.Castagnoli)

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, castagnoliTable) }

func ieee(b []byte) uint32 { return crc32.ChecksumIEEE(b) }
