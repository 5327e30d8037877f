import Foundation

/// The groups that the manager of services gives a service beside those of its user's account.
package struct ServiceGroups: Hashable, Sendable {
    /// The group in place of the account's; `nil` for the account's.
    let primary: gid_t?
    let supplementary: [gid_t]

    /// Looks up groups by their names or numbers. A group that does not exist is left out.
    package init(primary: String? = nil, supplementary: [String] = []) {
        self.primary = primary.flatMap(Self.number)
        self.supplementary = supplementary.compactMap(Self.number)
    }

    private static func number(of group: String) -> gid_t? { gid_t(group) ?? getgrnam(group)?.pointee.gr_gid }
}
