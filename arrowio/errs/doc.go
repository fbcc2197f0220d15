// Package errs has the errors that all readers and writers return, and the limits that files must not exceed. It imports no other
// package of this module, so that packages that decode bytes need not import package arrowio.
//
//	data.orc: orc: split 3: column a.b: DATA at 4182: rle v2: width 61 is not legal
//	└ File    └ Format └ Split └ Column └ Op    └ Off  └ Err
package errs
