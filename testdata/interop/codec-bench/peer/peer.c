// The peer of codec-bench and of bench_limits.py: C's libraries for codecs, memcpy and pread.
//
//	peer zlib|snappy|lz4|zstd CHUNKS   decodes all chunks of a file (of each, two 32-bit numbers: the bytes it holds
//	                                   and its packed bytes; then these)
//	peer copy BYTES                    copies so many bytes of memory, from a source that no cache holds into 4 MiB that
//	                                   are used again and again
//	peer read FILE                     reads a file in pieces of 1 MiB into one buffer
//	peer version                       prints the libraries' versions
//
// For each line that it reads then it does so once, and answers with the nanoseconds of CPU time that took, or with -1
// if something failed.
#include <fcntl.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 1 << 20, RING = 4 << 20, MOST_RAW = 8 << 20 };

static struct libdeflate_decompressor *deflate;
static ZSTD_DCtx *zstd;
static unsigned char *memory, *target; // what is decoded or copied, and where to
static size_t size;                    // of memory
static int file = -1;

static int zlib_block(const unsigned char *src, size_t packed, size_t raw) {
	return libdeflate_deflate_decompress(deflate, src, packed, target, raw, NULL) == LIBDEFLATE_SUCCESS;
}

static int snappy_block(const unsigned char *src, size_t packed, size_t raw) {
	return snappy_uncompress((const char *)src, packed, (char *)target, &raw) == SNAPPY_OK;
}

static int lz4_block(const unsigned char *src, size_t packed, size_t raw) {
	return LZ4_decompress_safe((const char *)src, (char *)target, (int)packed, (int)raw) == (int)raw;
}

static int zstd_block(const unsigned char *src, size_t packed, size_t raw) {
	return ZSTD_decompressDCtx(zstd, target, raw, src, packed) == raw;
}

static int (*block)(const unsigned char *, size_t, size_t);

static int decode(void) {
	for (size_t i = 0; i + 8 <= size;) {
		uint32_t head[2];
		memcpy(head, memory + i, sizeof head);
		if (head[0] > MOST_RAW || head[1] > size - i - 8 || !block(memory + i + 8, head[1], head[0]))
			return 0;
		i += 8 + (size_t)head[1];
	}
	return 1;
}

static int copy(void) {
	for (size_t i = 0; i < size; i += PIECE) {
		size_t n = size - i < PIECE ? size - i : PIECE;
		memcpy(target + i % RING, memory + i, n);
		__asm__ volatile("" ::"r"(target) : "memory"); // so that no copy is left out
	}
	return 1;
}

static int read_all(void) {
	ssize_t n;
	for (off_t at = 0; (n = pread(file, target, PIECE, at)) > 0; at += n)
		;
	return n == 0;
}

// load returns the bytes of a file and sets size.
static unsigned char *load(const char *name) {
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return NULL;
	size = (size_t)ftell(f);
	rewind(f);
	unsigned char *b = malloc(size ? size : 1);
	if (b && fread(b, 1, size, f) != size)
		return NULL;
	fclose(f);
	return b;
}

static long long cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "version")) {
		printf("libdeflate %s, zstd %s, lz4 %s\n", LIBDEFLATE_VERSION_STRING, ZSTD_versionString(), LZ4_versionString());
		return 0;
	}
	int (*run)(void) = decode;
	if (argc != 3)
		return 2;
	if (!strcmp(what, "zlib"))
		block = zlib_block;
	else if (!strcmp(what, "snappy"))
		block = snappy_block;
	else if (!strcmp(what, "lz4"))
		block = lz4_block;
	else if (!strcmp(what, "zstd"))
		block = zstd_block;
	else if (!strcmp(what, "copy"))
		run = copy;
	else if (!strcmp(what, "read"))
		run = read_all;
	else
		return 2;
	target = calloc(MOST_RAW, 1);
	deflate = libdeflate_alloc_decompressor();
	zstd = ZSTD_createDCtx();
	if (!target || !deflate || !zstd)
		return 2;
	if (run == read_all) {
		if ((file = open(argv[2], O_RDONLY)) < 0)
			return 2;
	} else if (run == copy) {
		size = strtoull(argv[2], NULL, 10);
		if (!(memory = malloc(size ? size : 1)))
			return 2;
		memset(memory, 1, size); // so that each page is there
	} else if (!(memory = load(argv[2]))) {
		return 2;
	}
	for (char line[16]; fgets(line, sizeof line, stdin);) {
		long long start = cpu();
		int done = run();
		printf("%lld\n", done ? cpu() - start : -1);
		fflush(stdout);
	}
	return 0;
}
