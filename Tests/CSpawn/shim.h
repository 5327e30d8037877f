#include <spawn.h>

// glibc's own function, which <spawn.h> declares only if _GNU_SOURCE is defined before.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
