#include <features.h>

// `mallopt` and its settings are glibc's own.
#ifdef __GLIBC__
#include <malloc.h>
#endif
