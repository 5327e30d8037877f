#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// `Synchronization.Mutex` over a POSIX mutex, which the thread sanitizer knows.
///
/// Swift's own mutex is a futex in a library that is not instrumented: the sanitizer sees no order between two
/// bodies of `withLock`, and reports each of them. Only `make tsan` compiles our targets with this module in place
/// of `Synchronization`.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {  // because `withLock` holds the mutex
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Creates a mutex that protects a value.
    package init(_ initialValue: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        value = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body with exclusive access to the value, and returns its result.
    package borrowing func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// Does the same if nothing else has access to the value; otherwise returns `nil` at once.
    package borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
