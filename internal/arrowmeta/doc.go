// Package arrowmeta keeps metadata of Arrow schemas and fields in the key-value stores of files.
//
// A store of a format has keys of its own, which readers show under the format's prefix: the key "owner" of an ORC file is
// "orc.owner" in Arrow. Keys of Arrow that are not of the format are stored under their own names, so that other readers
// find them, and are listed under KeysName, so that they come back without the prefix:
//
//	Arrow            stored in ORC
//	orc.owner        owner
//	pandas           pandas
//	trevni.source    trevni.source
//	                 arrowio.keys    ["pandas","trevni.source"]
//
// Where each field has a store, a key that is not of the format is stored with FieldPrefix in front, or FieldHexPrefix and
// its value in hexadecimal where that is not UTF-8.
package arrowmeta
