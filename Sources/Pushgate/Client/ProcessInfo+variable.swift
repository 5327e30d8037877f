import Foundation

extension ProcessInfo {
    /// Returns the value of a variable of the environment; `nil` if it is empty, as if it were not there.
    static func variable(_ name: String) -> String? {
        processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
