// Package splitcopy says how a file is made of stored parts of others: stripes of ORC, row groups of Parquet, blocks of Trevni. Their bytes are copied,
// not decoded, and what a file says of all its parts is made anew.
//
//	file a   | header | part 0 | part 1 | footer |            copy  | header | part 0 | part 1 | part 2 | footer |
//	file b   | header | part 0 | footer |                            a's      a's      a's      b's      of all three
package splitcopy
