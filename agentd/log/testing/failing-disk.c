// SPDX-License-Identifier: MIT OR Apache-2.0
// Preload this library to make the disk fail for one program. While the file FAULT_SWITCH exists, its first letter selects
// which calls fail for FAULT_FILE and for files whose names begin with it:
//   w: writing, EIO   n: writing, ENOSPC   s: syncing, EIO   c: writing FAULT_FILE itself, EIO   r: reading, EIO
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fault_of(int fd, const char *kinds) {
  const char *switch_file = getenv("FAULT_SWITCH"), *file = getenv("FAULT_FILE");
  if (!switch_file || !file) return 0;
  char kind = 0, link[64], path[4096];
  int descriptor = open(switch_file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  if (read(descriptor, &kind, 1) != 1) kind = 0;
  close(descriptor);
  if (kind == 0 || !strchr(kinds, kind)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, file, strlen(file)) != 0) return 0;
  if (kind == 'c' && path[strlen(file)] != 0) return 0;
  return kind == 'n' ? ENOSPC : EIO;
}

#define FAILS(fd, kinds) \
  do { \
    int fault = fault_of(fd, kinds); \
    if (fault) { \
      errno = fault; \
      return -1; \
    } \
  } while (0)

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  FAILS(fd, "wnc");
  return REAL(pwrite64)(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  FAILS(fd, "wnc");
  return REAL(pwrite)(fd, bytes, count, at);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
  FAILS(fd, "r");
  return REAL(pread64)(fd, bytes, count, at);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at) {
  FAILS(fd, "r");
  return REAL(pread)(fd, bytes, count, at);
}

int fsync(int fd) {
  FAILS(fd, "s");
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  FAILS(fd, "s");
  return REAL(fdatasync)(fd);
}
