/// The keys that begin with one prefix, such as `functions.runs.`.
package struct SettingKeys: Sendable {
    /// The prefix, with a dot at its end.
    package let prefix: String
    /// All keys, with the prefix.
    package let all: Set<String>
    /// The keys that take a list.
    package let lists: Set<String>
    /// The keys with values that no other user may read.
    package let secrets: Set<String>

    /// - Parameters:
    ///   - prefix: The prefix, with a dot at its end.
    ///   - names: The keys without the prefix, except those that take a list.
    ///   - lists: The keys without the prefix that take a list.
    ///   - secrets: The keys, of both kinds, with values that no other user may read.
    package init(below prefix: String, _ names: Set<String>, lists: Set<String> = [], secrets: Set<String> = []) {
        self.prefix = prefix
        all = Set(names.union(lists).map { prefix + $0 })
        self.lists = Set(lists.map { prefix + $0 })
        self.secrets = Set(secrets.map { prefix + $0 })
    }
}
