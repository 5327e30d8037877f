import Foundation

/// Raises this process's limit of open descriptors to its maximum; a shell's usual limit is 1,024 or less.
///
/// - Returns: the new limit.
@discardableResult
package func raiseDescriptorLimit() -> Int {
    #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
    #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return Int(clamping: limit.rlim_cur)
}
