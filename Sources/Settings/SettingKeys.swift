/// The keys that begin with one prefix, such as `functions.runs.`.
public struct SettingKeys: Sendable {
    /// The prefix, with a dot at its end.
    public let prefix: String
    /// All keys, with the prefix.
    public let all: Set<String>
    /// The keys that take a list.
    public let lists: Set<String>
    /// The keys with values that no other user may read.
    public let secrets: Set<String>

    /// - Parameters:
    ///   - prefix: The prefix, with a dot at its end.
    ///   - names: The keys without the prefix, except those that take a list.
    ///   - lists: The keys without the prefix that take a list.
    ///   - secrets: The keys, of both kinds, with values that no other user may read.
    public init(below prefix: String, _ names: Set<String>, lists: Set<String> = [], secrets: Set<String> = []) {
        self.prefix = prefix
        all = Set(names.union(lists).map { prefix + $0 })
        self.lists = Set(lists.map { prefix + $0 })
        self.secrets = Set(secrets.map { prefix + $0 })
    }
}
