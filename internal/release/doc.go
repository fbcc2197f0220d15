// Command release makes the files of a release from the source beside it: archives and packages of the arrowio command
// for every platform, an image for containers, and the papers that go with them.
//
//	go run . -version v0.9.0 -out ../../dist
//
// What lies in the folder afterwards:
//
//	arrowio_0.9.0_linux_amd64.tar.gz      command, manual pages, completions, licences; the same for macOS, .zip for Windows
//	arrowio-duckdb_0.9.0_linux_amd64.tar.gz  the same with `arrowio query` and all SQL in serve
//	arrowio_0.9.0-1_amd64.deb             packages for Debian and Ubuntu,
//	arrowio-0.9.0-1.x86_64.rpm            and for Fedora, Rocky and SUSE
//	arrowio_0.9.0_oci.tar                 an OCI image of both Linux architectures
//	arrowio.rb                            the Homebrew formula
//	arrowio_0.9.0_sbom.cdx.json           what the command is made of (CycloneDX)
//	provenance.json                       what it was built from, and with what (in-toto, SLSA 1.0), not signed
//	SHA256SUMS
//
// The same commit and the same Go give the same bytes: times are those of the commit, owners are root, paths of the
// machine are left out. It is a module of its own, so that what it needs is no dependency of arrowio.
package main
