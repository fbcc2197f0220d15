// Memory, and the callbacks of arrays and schemas. Go is entered only to give a batch back.

#include "arrowc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef _WIN32
#include <malloc.h>
#endif

extern void arrowcGiveBack(uint64_t handle);

const uint8_t arrowc_zeroes[64] __attribute__((aligned(64)));

// The flag of a child process: threads of Go that would answer do not exist there.
static volatile int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

int arrowio_forked(void) { return forked; }

#ifdef _WIN32

void *arrowc_allocate(size_t n) { return _aligned_malloc(n, 64); }
void arrowc_free(void *p) { _aligned_free(p); }

#else

void *arrowc_allocate(size_t n) {
	void *p = NULL;
	return posix_memalign(&p, 64, n) == 0 ? p : NULL;
}
void arrowc_free(void *p) { free(p); }

#endif

#ifdef __linux__

static int64_t cpu_nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// slow_page is what a huge page may cost: as much as the small ones in its place.
enum { slow_page = 1000000, most_skipped = 64 };

static struct { int skip, next; } slow; // how many maps go without huge pages, now and after the next slow one

// ask_huge asks for huge pages where they are quick. Below a hypervisor that has taken the free memory back they are not: it
// brings a huge page 4 KiB at a time, while small pages are those that were in use a moment ago. So the first page is tried.
static void ask_huge(char *p, size_t page, size_t n) {
	if (slow.skip > 0) {
		slow.skip--;
		return;
	}
	if (madvise(p, page < n ? page : n, MADV_HUGEPAGE) != 0) return;
	int64_t start = cpu_nanos();
	*(volatile char *)p = 0;
	if (cpu_nanos() - start > slow_page) {
		slow.next = slow.next == 0 ? 4 : slow.next < most_skipped ? 2 * slow.next : most_skipped;
		slow.skip = slow.next;
		return;
	}
	slow.next = 0;
	if (n > page) madvise(p + page, n - page, MADV_HUGEPAGE);
}

void *arrowc_map(size_t n, size_t align, size_t huge) {
	if (n > SIZE_MAX - align) return NULL;
	char *all = mmap(NULL, n + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED) return NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (align - (uintptr_t)all % align) % align;
	size_t used = before + (n + page - 1) / page * page;
	if (before > 0) munmap(all, before);
	if (used < n + align) munmap(all + used, n + align - used);
	if (huge > 0) ask_huge(all + before, align, huge);
	return all + before;
}

void arrowc_unmap(void *p, size_t n) { munmap(p, n); }

void arrowc_discard(void *p, size_t n) {
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)p + page - 1) / page * page, to = ((uintptr_t)p + n) / page * page;
	if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

#else // the heap of C is asked

void *arrowc_map(size_t n, size_t align, size_t huge) { return NULL; }
void arrowc_unmap(void *p, size_t n) {}
void arrowc_discard(void *p, size_t n) {}

#endif

void arrowc_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

// Batches that were released and are given back by a goroutine that comes along soon. A thread of C that enters Go takes one
// of its processors, keeps it when it leaves, and Go looks every 20 µs whether to take it away.
enum { most_late = 4 };

static struct {
	pthread_mutex_t mu;
	int takers;
	int n;
	uint64_t handles[most_late];
} late = {.mu = PTHREAD_MUTEX_INITIALIZER};

void arrowc_will_take_back(int takers) {
	pthread_mutex_lock(&late.mu);
	late.takers += takers;
	pthread_mutex_unlock(&late.mu);
}

uint64_t arrowc_take_back(void) {
	pthread_mutex_lock(&late.mu);
	uint64_t handle = late.n > 0 ? late.handles[--late.n] : 0;
	pthread_mutex_unlock(&late.mu);
	return handle;
}

static void give_back(uint64_t handle) {
	pthread_mutex_lock(&late.mu);
	int kept = late.takers > 0 && late.n < most_late;
	if (kept) late.handles[late.n++] = handle;
	pthread_mutex_unlock(&late.mu);
	if (!kept) arrowcGiveBack(handle);
}

static void let_go(struct arrowc_shared *s) {
	if (__atomic_sub_fetch(&s->live, 1, __ATOMIC_ACQ_REL) > 0) return;
	uint64_t handle = s->handle;
	free(s);
	if (handle != 0 && !forked) give_back(handle);
}

void arrowc_release_array(struct ArrowArray *a) {
	if (a->release == NULL) return;
	for (int64_t i = 0; i < a->n_children; i++) {
		struct ArrowArray *c = a->children[i];
		if (c->release != NULL) c->release(c);
	}
	if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
	struct arrowc_shared *s = a->private_data;
	a->release = NULL; // before the block, which may hold it, goes
	let_go(s);
}

void arrowc_release_schema(struct ArrowSchema *a) {
	if (a->release == NULL) return;
	for (int64_t i = 0; i < a->n_children; i++) {
		struct ArrowSchema *c = a->children[i];
		if (c->release != NULL) c->release(c);
	}
	if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
	struct arrowc_shared *s = a->private_data;
	a->release = NULL;
	let_go(s);
}

void arrowc_own_array(struct ArrowArray *a, struct arrowc_shared *s) {
	a->release = arrowc_release_array;
	a->private_data = s;
	s->live++;
}

void arrowc_own_schema(struct ArrowSchema *a, struct arrowc_shared *s) {
	a->release = arrowc_release_schema;
	a->private_data = s;
	s->live++;
}
