// Package geoarrow knows GeoArrow's extension type of geometries in well-known binary, by which geometries and geographies go
// between ORC, Parquet and other users of Arrow.
//
// Both formats have a text for the coordinate reference system, where "" is OGC:CRS84, and the same five ways in which edges run
// between the points of a geography. The text is an identifier such as EPSG:3857 or srid:3857, PROJJSON, or what a writer chose.
//
// It also knows the metadata by which GeoParquet 1.x describes geometries, which are plain bytes in Arrow.
package geoarrow
