// Package valueset tells whether rows have the same values as others, as Iceberg's equality deletes compare them.
package valueset
