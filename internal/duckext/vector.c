//go:build duckdb_extension && cgo && (linux || darwin)

// Values of fixed size, and validity, on their way from Arrow into vectors. A loop has no call but where a value is bad:
// it notes that there may be one, and only then are the values looked at one by one, as nulls have any value.

#include "duckext.h"

#include <stdlib.h>
#include <string.h>

static const char *const infinite = "a value is beyond the range of DuckDB, where it would be infinity";
static const char *const beyond = "a value is beyond the range of DuckDB";
static const char *const finer = "a value has digits below microseconds, which DuckDB does not keep";
static const char *const finer_instant =
	"an instant has digits below microseconds, which DuckDB does not keep: timestamp_unit := 'us' cuts them off, in formats that have it";
static const char *const no_time = "a time of day is not within a day";

static const uint8_t *validity_of(const struct ArrowArray *a) {
	if (a->null_count == 0 || a->n_buffers == 0 || a->buffers == NULL) return NULL;
	return a->buffers[0];
}

int duckext_valid(const struct ArrowArray *a, int64_t i) {
	const uint8_t *bits = validity_of(a);
	i += a->offset;
	return bits == NULL || (bits[i / 8] >> (i % 8) & 1);
}

// word returns up to 64 bits that begin at bit i; those behind the first n are zero.
static uint64_t word(const uint8_t *bits, int64_t i, int64_t n) {
	if (n > 64) n = 64;
	int64_t first = i / 8, shift = i % 8, bytes = (shift + n + 7) / 8;
	uint64_t w = 0;
	memcpy(&w, bits + first, (size_t)(bytes < 8 ? bytes : 8));
	w >>= shift;
	if (bytes > 8) w |= (uint64_t)bits[first + 8] << (64 - shift);
	return n == 64 ? w : w & (((uint64_t)1 << n) - 1);
}

static uint64_t ones(int64_t n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

// put sets n bits, at most 64, from bit i on.
static void put(uint64_t *to, idx_t i, int64_t n, uint64_t w) {
	idx_t k = i / 64, shift = i % 64;
	to[k] = (to[k] & ~(ones(n) << shift)) | w << shift;
	if (shift + (idx_t)n > 64) {
		idx_t done = 64 - shift;
		to[k + 1] = (to[k + 1] & ~(ones(n) >> done)) | w >> done;
	}
}

const uint64_t *duckext_validity(const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at, const uint64_t *parent) {
	const uint8_t *bits = validity_of(a);
	uint64_t *to = duckdb.vector_get_validity(v);
	int some = to != NULL;
	for (int64_t i = 0; i < n && !some; i += 64) {
		uint64_t w = bits != NULL ? word(bits, a->offset + from + i, n - i) : ones(n - i);
		if (parent != NULL) w &= word((const uint8_t *)parent, (int64_t)at + i, n - i);
		some = w != ones(n - i);
	}
	if (!some) return NULL;
	if (to == NULL) {
		duckdb.vector_ensure_validity_writable(v);
		to = duckdb.vector_get_validity(v);
	}
	for (int64_t i = 0; i < n; i += 64) {
		int64_t m = n - i < 64 ? n - i : 64;
		uint64_t w = bits != NULL ? word(bits, a->offset + from + i, m) : ones(m);
		if (parent != NULL) w &= word((const uint8_t *)parent, (int64_t)at + i, m);
		put(to, at + (idx_t)i, m, w);
	}
	return to;
}

// CHECK tells whether a valid one of n values is bad, once it is known that a value is.
#define CHECK(suspect, bad) \
	if (suspect) \
		for (int64_t i = 0; i < n; i++) \
			if ((bad) && duckext_valid(a, from + i)) return

static void spread_bits(const uint8_t *bits, int64_t from, int64_t n, uint8_t *out) {
	for (int64_t i = 0; i < n; i += 64) {
		uint64_t w = word(bits, from + i, n - i);
		for (int64_t k = 0; k < 64 && i + k < n; k++) out[i + k] = w >> k & 1;
	}
}

static const char *fill_date32(const struct ArrowArray *a, const int32_t *in, int64_t from, int64_t n, int32_t *out) {
	uint32_t odd = 0;
	for (int64_t i = 0; i < n; i++) {
		out[i] = in[i];
		odd |= (uint32_t)in[i] - INT32_MAX <= 2; // INT32_MAX, INT32_MIN, -INT32_MAX
	}
	CHECK(odd, in[i] == INT32_MAX || in[i] <= -INT32_MAX) infinite;
	return NULL;
}

static const char *fill_stamp(const struct ArrowArray *a, const int64_t *in, int64_t from, int64_t n, int64_t *out) {
	uint64_t odd = 0;
	for (int64_t i = 0; i < n; i++) {
		out[i] = in[i];
		odd |= (uint64_t)in[i] - INT64_MAX <= 2;
	}
	CHECK(odd, in[i] == INT64_MAX || in[i] <= -INT64_MAX) infinite;
	return NULL;
}

static const char *fill_date64(const struct ArrowArray *a, const int64_t *in, int64_t from, int64_t n, int32_t *out) {
	const int64_t day = 86400000;
	int odd = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t days = in[i] / day;
		odd |= in[i] % day != 0 || days >= INT32_MAX || days <= -INT32_MAX;
		out[i] = (int32_t)days;
	}
	CHECK(odd, in[i] % day != 0) "a date has a time of day";
	CHECK(odd, in[i] / day >= INT32_MAX || in[i] / day <= -INT32_MAX) beyond;
	return NULL;
}

// SCALED defines a function that brings values of TYPE to microseconds, which must be within a range.
#define SCALED(name, TYPE) \
	static const char *name(const struct ArrowArray *a, const TYPE *in, int64_t from, int64_t n, int64_t by, int64_t least, int64_t most, \
		const char *outside, const char *odd_digits, int64_t *out, int64_t step) { \
		int odd = 0; \
		if (by > 0) { \
			int64_t low = least / by, high = most / by; \
			for (int64_t i = 0; i < n; i++) { \
				odd |= in[i] < low || in[i] > high; \
				out[i * step] = (int64_t)((uint64_t)in[i] * (uint64_t)by); \
			} \
			CHECK(odd, in[i] < low || in[i] > high) outside; \
			return NULL; \
		} \
		for (int64_t i = 0; i < n; i++) { \
			int64_t q = in[i] / -by; \
			odd |= q * -by != in[i] || q < least || q > most; \
			out[i * step] = q; \
		} \
		CHECK(odd, in[i] % -by != 0) odd_digits; \
		CHECK(odd, in[i] / -by < least || in[i] / -by > most) outside; \
		return NULL; \
	}
SCALED(scale32, int32_t)
SCALED(scale64, int64_t)

static float half(uint16_t h) {
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023, bits;
	if (e == 31) {
		bits = sign | 0x7f800000 | m << 13;
	} else if (e > 0) {
		bits = sign | (e + 112) << 23 | m << 13;
	} else {
		float f = (float)m / 16777216; // 2^-24
		memcpy(&bits, &f, sizeof bits);
		bits |= sign;
	}
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

// wider tells whether a number of words words is not x.
static int wider(const int64_t *w, int64_t words, int64_t x) {
	int differs = w[0] != x;
	for (int64_t k = 1; k < words; k++) differs |= w[k] != x >> 63;
	return differs;
}

// NARROW copies decimals of words words into TYPE. What does not fit has more digits than the precision says.
#define NARROW(TYPE) \
	{ \
		TYPE *out = to; \
		int odd = 0; \
		for (int64_t i = 0; i < n; i++) { \
			out[i] = (TYPE)in[i * words]; \
			odd |= wider(in + i * words, words, out[i]); \
		} \
		CHECK(odd, wider(in + i * words, words, out[i])) beyond; \
		return NULL; \
	}

static const char *fill_decimal(const struct ArrowArray *a, const int64_t *in, int64_t from, int64_t n, int64_t words, int size, void *to) {
	switch (size) {
	case 2: NARROW(int16_t)
	case 4: NARROW(int32_t)
	case 8: NARROW(int64_t)
	}
	int64_t *out = to;
	int odd = 0;
	for (int64_t i = 0; i < n; i++) {
		const int64_t *w = in + i * words;
		out[2 * i] = w[0];
		out[2 * i + 1] = w[1];
		odd |= wider(w + 1, words - 1, w[1]);
	}
	CHECK(odd, wider(in + i * words + 1, words - 1, out[2 * i + 1])) beyond;
	return NULL;
}

static void fill_uuid(const uint8_t *in, int64_t n, uint64_t *out) {
	for (int64_t i = 0; i < n; i++) {
		uint64_t high, low;
		memcpy(&high, in + 16 * i, 8);
		memcpy(&low, in + 16 * i + 8, 8);
		out[2 * i] = __builtin_bswap64(low);
		out[2 * i + 1] = __builtin_bswap64(high) ^ (uint64_t)1 << 63; // so that signed numbers are in order
	}
}

static const char *fill_calendar(const struct ArrowArray *a, const uint8_t *in, int64_t from, int64_t n, struct duckdb_interval *out) {
	int odd = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t nanos;
		memcpy(&out[i].months, in + 16 * i, 4);
		memcpy(&out[i].days, in + 16 * i + 4, 4);
		memcpy(&nanos, in + 16 * i + 8, 8);
		odd |= nanos % 1000 != 0;
		out[i].micros = nanos / 1000;
	}
	if (odd)
		for (int64_t i = 0; i < n; i++) {
			int64_t nanos;
			memcpy(&nanos, in + 16 * i + 8, 8);
			if (nanos % 1000 != 0 && duckext_valid(a, from + i)) return finer;
		}
	return NULL;
}

// fill_interval fills intervals of one unit.
static const char *fill_interval(const struct duckext_type *t, const struct ArrowArray *a, const void *in, int64_t from, int64_t n,
	struct duckdb_interval *out) {
	if (t->kind == DUCKEXT_CALENDAR) return fill_calendar(a, in, from, n, out);
	memset(out, 0, (size_t)n * sizeof *out);
	const int32_t *small = in;
	switch (t->kind) {
	case DUCKEXT_MONTHS:
		for (int64_t i = 0; i < n; i++) out[i].months = small[i];
		return NULL;
	case DUCKEXT_DAYS:
		for (int64_t i = 0; i < n; i++) {
			out[i].days = small[2 * i];
			out[i].micros = (int64_t)small[2 * i + 1] * 1000;
		}
		return NULL;
	default:
		return scale64(a, in, from, n, t->by, INT64_MIN, INT64_MAX, beyond, finer, &out->micros, sizeof *out / sizeof out->micros);
	}
}

// fill_fixed fills what has a fixed size.
static const char *fill_fixed(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at) {
	const int64_t last_time = 86400000000, most = INT64_MAX - 1;
	int64_t skip = a->offset + from;
	const uint8_t *in = a->buffers[1];
	uint8_t *to = duckdb.vector_get_data(v);
	if (n == 0) return NULL;
	switch (t->kind) {
	case DUCKEXT_BOOL:
		spread_bits(in, skip, n, to + at);
		return NULL;
	case DUCKEXT_COPY:
		memcpy(to + at * (idx_t)t->size, in + skip * t->size, (size_t)(n * t->size));
		return NULL;
	case DUCKEXT_DATE32:
		return fill_date32(a, (const int32_t *)in + skip, from, n, (int32_t *)to + at);
	case DUCKEXT_STAMP:
		return fill_stamp(a, (const int64_t *)in + skip, from, n, (int64_t *)to + at);
	case DUCKEXT_DATE64:
		return fill_date64(a, (const int64_t *)in + skip, from, n, (int32_t *)to + at);
	case DUCKEXT_TIME:
		if (t->size == 4) return scale32(a, (const int32_t *)in + skip, from, n, t->by, 0, last_time, no_time, finer, (int64_t *)to + at, 1);
		return scale64(a, (const int64_t *)in + skip, from, n, t->by, 0, last_time, no_time, finer, (int64_t *)to + at, 1);
	case DUCKEXT_INSTANT:
		return scale64(a, (const int64_t *)in + skip, from, n, t->by, -most, most, beyond, finer_instant, (int64_t *)to + at, 1);
	case DUCKEXT_HALF:
		for (int64_t i = 0; i < n; i++) ((float *)to)[at + (idx_t)i] = half(((const uint16_t *)in)[skip + i]);
		return NULL;
	case DUCKEXT_DECIMAL:
		return fill_decimal(a, (const int64_t *)in + skip * (t->by / 8), from, n, t->by / 8, t->size, to + at * (idx_t)t->size);
	case DUCKEXT_UUID:
		fill_uuid(in + 16 * skip, n, (uint64_t *)to + 2 * at);
		return NULL;
	case DUCKEXT_MONTHS:
		return fill_interval(t, a, in + 4 * skip, from, n, (struct duckdb_interval *)to + at);
	case DUCKEXT_DURATION:
	case DUCKEXT_DAYS:
		return fill_interval(t, a, in + 8 * skip, from, n, (struct duckdb_interval *)to + at);
	case DUCKEXT_CALENDAR:
		return fill_interval(t, a, in + 16 * skip, from, n, (struct duckdb_interval *)to + at);
	}
	return "DuckDB has no such type";
}

// fill_nulls makes n places null.
static void fill_nulls(int64_t n, duckdb_vector v, idx_t at) {
	duckdb.vector_ensure_validity_writable(v);
	uint64_t *to = duckdb.vector_get_validity(v);
	for (int64_t i = 0; i < n; i += 64) put(to, at + (idx_t)i, n - i < 64 ? n - i : 64, 0);
}

const char *duckext_fill(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent) {
	const char *error;
	switch (t->kind) {
	case DUCKEXT_NULL:
		fill_nulls(n, v, at);
		return NULL;
	case DUCKEXT_TEXT:
	case DUCKEXT_LARGE:
	case DUCKEXT_FIXED:
	case DUCKEXT_VIEW:
		error = duckext_fill_text(t, a, from, n, v, at);
		break;
	case DUCKEXT_LIST:
	case DUCKEXT_LARGE_LIST:
	case DUCKEXT_MAP:
	case DUCKEXT_ARRAY:
	case DUCKEXT_STRUCT:
	case DUCKEXT_SPARSE:
	case DUCKEXT_DENSE:
		return duckext_fill_nested(t, a, from, n, v, at, parent);
	default:
		error = fill_fixed(t, a, from, n, v, at);
	}
	if (error == NULL) duckext_validity(a, from, n, v, at, parent); // last: text that is refused becomes null
	return error;
}
