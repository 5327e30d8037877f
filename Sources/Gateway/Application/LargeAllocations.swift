#if canImport(Glibc)
    import CMalloc
#endif

/// The memory of large requests and answers.
package enum LargeAllocations {
    /// From this size on, in bytes, an allocation has pages of its own.
    private static let leastBytes: CInt = 256 * 1024

    /// Lets large allocations go back to the system as soon as they are released.
    ///
    /// By itself, glibc keeps what it has once released for the next allocation of such a size, in each thread's arena:
    /// a few requests of some megabytes then cost the process hundreds of megabytes for good
    /// ([mallopt(3)](https://man7.org/linux/man-pages/man3/mallopt.3.html), `M_MMAP_THRESHOLD`). Call this before
    /// threads begin.
    package static func goBackToTheSystem() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, leastBytes)
        #endif
    }
}
