/// The keys of a system that is off unless `functions.<system>.enabled` switches it on.
struct SystemKeys: Sendable {
    /// What they begin with.
    let prefix: String
    let all: Set<String>
    /// Those that take a list.
    let lists: Set<String>

    /// - Parameters:
    ///   - system: what they have after `functions.`.
    ///   - names: what they end in, besides `enabled`.
    ///   - lists: what those end in that take a list.
    init(_ system: String, _ names: Set<String>, lists: Set<String> = []) {
        let prefix = "functions.\(system)."
        self.prefix = prefix
        all = Set(names.union(["enabled"]).union(lists).map { prefix + $0 })
        self.lists = Set(lists.map { prefix + $0 })
    }

    func areOn(_ settings: Settings) throws(ConfigurationError) -> Bool {
        try settings.boolean(prefix + "enabled") == true
    }
}
