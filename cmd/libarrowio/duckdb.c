//go:build duckdb_extension

// The function that DuckDB calls when it loads arrowio.duckdb_extension: its name is made of that of the file.

#include "../../internal/duckext/duckext.h"

extern struct duckext_offer *goDuckdbOffer(void);

bool arrowio_init_c_api(duckdb_extension_info info, struct duckdb_extension_access *access) {
	if (arrowio_forked()) {
		access->set_error(info, "this process was forked after the extension had been loaded, which the Go runtime does not survive");
		return false;
	}
	return duckext_load(info, access, goDuckdbOffer());
}
