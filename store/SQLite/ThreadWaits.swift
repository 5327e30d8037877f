#if canImport(Glibc)
    internal import Glibc
#endif

/// The times at which the calling thread had to wait: for the disk, or for another thread.
enum ThreadWaits {
    #if canImport(Glibc)
        /// `RUSAGE_THREAD`, which Glibc declares for C with GNU's extensions only.
        private static let callingThread = __rusage_who_t(1)
    #endif

    /// Voluntary context switches (`getrusage(2)`, `RUSAGE_THREAD`); being preempted is none.
    static var count: Int {
        #if canImport(Glibc)
            var usage = rusage()
            getrusage(callingThread, &usage)
            return usage.ru_nvcsw
        #else
            return 0
        #endif
    }
}
