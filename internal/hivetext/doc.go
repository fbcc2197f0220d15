// Package hivetext makes Arrow values of text as Hive's SerDes do.
//
//	Lazy   lines of LazySimpleSerDe: fields, and lists, maps and structs in them, by separators of each level
//	JSON   lines of JsonSerDe
//	value  one text of a type without children
//	time   dates and timestamps
//
// A text may be a value, or one of which Hive makes another value (1.5 as an int is 1, a 30th of February the 1st of March), or one of
// which Hive makes null. The last two are errors, unless Wrong is asked for.
package hivetext
