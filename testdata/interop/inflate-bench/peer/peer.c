// The peer of inflate-bench: libdeflate. It reads chunks from the file that is its argument (of each, two 32-bit numbers:
// the bytes it holds and its packed bytes; then these). For each line that it reads then it decodes all of them, and
// answers with the nanoseconds of CPU time that took, or with -1 if one is not decoded.
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return 2;
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	rewind(f);
	unsigned char *b = malloc(size), *dst = malloc(8 << 20);
	if (!b || !dst || fread(b, 1, size, f) != (size_t)size)
		return 2;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	for (char line[16]; fgets(line, sizeof line, stdin);) {
		long long took = cpu();
		for (long i = 0; took >= 0 && i < size;) {
			uint32_t *head = (uint32_t *)(b + i);
			if (libdeflate_deflate_decompress(d, b + i + 8, head[1], dst, head[0], NULL) != LIBDEFLATE_SUCCESS)
				took = -1;
			i += 8 + (long)head[1];
		}
		printf("%lld\n", took < 0 ? -1 : cpu() - took);
		fflush(stdout);
	}
	return 0;
}
