// Package view shows files under another schema than their own: columns in another order, widened, cast, null where a file
// lacks them, or with one value in every row. One reader executes all of it, and one translation brings filters to the
// columns that a file has.
//
//	shown schema     a        b            year
//	                 │        │            │
//	column           from 2   from 0,      constant
//	                 │        widened      2024
//	file             c0       c1       c2
//
// Views compose when they are made: a view of a view that changes none of its columns is one view of the file.
package view
