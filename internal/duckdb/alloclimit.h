// Large allocations, bounded by the memory of the machine or the container.
#ifndef ARROWIO_DUCKDB_ALLOCLIMIT_H
#define ARROWIO_DUCKDB_ALLOCLIMIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// alloclimit_set bounds what the process may have to itself after a large allocation. 0 = any number of bytes.
void alloclimit_set(int64_t bytes);

// alloclimit_refuses reports whether there is no memory for an allocation. Those smaller than alloclimit_large are not looked at, since
// what is in use is asked of the kernel.
int alloclimit_refuses(size_t n);
static const size_t alloclimit_large = 1 << 20;

#ifdef __cplusplus
}
#endif

#endif
