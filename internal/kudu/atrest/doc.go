// Package atrest reads the files of a Kudu server that encrypts them (--encrypt_data_at_rest):
//
//	0        7       8                            40        64
//	┌─────────┬───────┬────────────────────────────┬─────────┬──────────────────────────
//	│ kuduenc │ width │ key of the file, wrapped   │ zeros   │ content, encrypted
//	└─────────┴───────┴────────────────────────────┴─────────┴──────────────────────────
//
// Width is 0, 1 or 2: the key of the file has 128, 192 or 256 bits. It is wrapped by AES in ECB mode, 16 bytes at a time, under the
// key of the server or of a tenant, which the instance file has, wrapped in turn by what Kudu calls a key provider. The content is
// encrypted by AES in CTR mode. The counter is the number of the block of 16 bytes, counted from the beginning of the file, so any
// range can be read by itself.
//
// Nothing says whether a key is the right one. But all files begin with a word that starts with "kudu", except the data files of
// containers, whose blocks do.
//
// Space that a server has set aside, and has not written to, is zeros on disk. So a block of 16 zeros stands for zeros: that it is
// the encryption of something else happens once in 2¹²⁸ blocks.
package atrest
