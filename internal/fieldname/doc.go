// Package fieldname makes names that files give to fields fit for Arrow, whose names are UTF-8. Files of programs that wrote another
// encoding, and damaged files, have others: their rows can still be read, under names that show which bytes are stored.
package fieldname
