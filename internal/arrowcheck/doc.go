// Package arrowcheck tells whether Arrow data is what its type promises: every buffer long enough, every offset,
// index, type id, run end and view inside what it points to, null counts true, text UTF-8.
//
// Data that comes from outside (IPC files, streams, clients) goes through it before an array is made of it: arrow's own
// arrays trust their buffers, and panic or read elsewhere when the buffers lie. It reads each byte of the offsets and
// indices once and allocates nothing but errors.
package arrowcheck
