// Package arrowtype looks through Arrow types that wrap others.
package arrowtype
