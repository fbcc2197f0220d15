// Package errs has the errors of every reader and writer, and the limits that a file must not exceed. It imports nothing of
// this module, so that the packages that decode bytes need not know the contracts of package arrowio, which has the same
// types under its own name.
//
//	data.orc: orc: split 3: column a.b: DATA at 4182: rle v2: width 61 is not legal
//	└ File    └ Format └ Split └ Column └ Op    └ Off  └ Err
package errs
