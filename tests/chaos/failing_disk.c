// Loaded before a program (LD_PRELOAD), it lets the disk fail: the k-th write or sync to files whose name holds a text.
//   CHAOS_NAME=r.mbnn CHAOS_AT=17 CHAOS_ERROR=28 CHAOS_ALWAYS=1 CHAOS_SYNCS=0
// CHAOS_ALWAYS: all from the k-th on, as on a full disk. CHAOS_SYNCS: syncs are counted, else writes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_named(int descriptor) {
  const char* name = getenv("CHAOS_NAME");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (!name || length < 0) return 0;
  path[length] = 0;
  return strstr(path, name) != NULL;
}

static int number(const char* name) {
  const char* value = getenv(name);
  return value ? atoi(value) : 0;
}

static int fails(int descriptor, int sync) {
  static int count;
  if (number("CHAOS_SYNCS") != sync || !is_named(descriptor)) return 0;
  const int now = __sync_add_and_fetch(&count, 1), at = number("CHAOS_AT");
  if (now != at && !(now > at && number("CHAOS_ALWAYS"))) return 0;
  errno = number("CHAOS_ERROR");
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void* data, size_t size) {
  return fails(descriptor, 0) ? -1 : REAL(write)(descriptor, data, size);
}
ssize_t pwrite(int descriptor, const void* data, size_t size, off_t at) {
  return fails(descriptor, 0) ? -1 : REAL(pwrite)(descriptor, data, size, at);
}
ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t at) {
  return fails(descriptor, 0) ? -1 : REAL(pwrite64)(descriptor, data, size, at);
}
int fsync(int descriptor) { return fails(descriptor, 1) ? -1 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return fails(descriptor, 1) ? -1 : REAL(fdatasync)(descriptor); }
