// Package view shows files under another schema than their own. Columns can be reordered, widened to larger types, cast, null
// because the file lacks them, or constant. Filters on the shown columns are translated to filters on the file's columns.
//
//	shown schema     a        b            year
//	                 │        │            │
//	column           from 2   from 0,      constant
//	                 │        widened      2024
//	file             c0       c1       c2
//
// A view of a view that changes none of its columns becomes one view of the file when it is made.
package view
