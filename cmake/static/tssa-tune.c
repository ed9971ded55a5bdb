/* Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Becomes the tssa-compile beside it, which contains the tuner, under the name of this program. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static const char compiler[] = "tssa-compile";
  static char self[4096], path[sizeof self + sizeof compiler];
  char *name = NULL;
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0)
    name = strrchr(self, '/');
  if (name && argc > 0) {
    snprintf(path, sizeof path, "%.*s/%s", (int)(name - self), self, compiler);
    argv[0] = "tssa-tune";
    execv(path, argv);
  }
  fprintf(stderr, "tssa-tune: error: '%s' beside it cannot be run: %s\n", compiler, strerror(errno));
  return 70;
}
