// Package arrowtype looks through Arrow types that wrap others, and changes the children of types.
package arrowtype
