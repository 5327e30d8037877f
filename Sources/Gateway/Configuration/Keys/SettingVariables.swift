import Settings

/// The environment variables of a gateway's settings.
struct SettingVariables {
    private static let prefix = "PUSHGATE_"
    /// The variables that are not settings: those of the command line and of docker/compose.yaml.
    private static let others: Set = ["PUSHGATE_DEVICE_TOKEN", "PUSHGATE_PUBLISHED_PORT"]

    private let table: SettingTable

    /// Names the variables of the settings in a table.
    init(_ table: SettingTable) { self.table = table }

    /// Returns the name of a key's variable, for example `PUSHGATE_HTTP_REQUEST_TIMEOUT` for `http.requestTimeout`.
    static func name(of key: String) -> String {
        key.reduce(into: prefix) { name, character in
            if character.isUppercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
        }
    }

    /// Returns a warning for each variable that has the gateway's prefix but is not a setting, so that it has no
    /// effect.
    func warnings(in environment: [String: String]) -> [SettingWarning] {
        let names = table.declarations.flatMap(Self.names).sorted()
        let former = Set(table.formerKeys.map(Self.name))
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(Self.prefix), !Self.others.contains(name), !names.contains(name) else { return nil }
            guard !former.contains(name) else { return .former(name) }
            let advice =
                Self.nearest(to: name.uppercased(), among: names).map { "did you mean \($0)?" }
                ?? "docs/configuration.md lists the settings"
            return .unknown(variable: name, advice: advice)
        }
    }

    /// Returns the key that a misspelt one was meant to be; `nil` if none is similar.
    func nearestKey(to key: String) -> String? {
        let names = Dictionary(table.declarations.map { (Self.name(of: $0.key), $0.key) }) { $1 }
        return Self.nearest(to: Self.name(of: key), among: names.keys.sorted()).flatMap { names[$0] }
    }

    /// Returns the names of a setting's variables: that of its value, and for a secret that of a file's path.
    private static func names(of declaration: SettingDeclaration) -> [String] {
        let name = name(of: declaration.key)
        return declaration.secrecy == .open ? [name] : [name, name + SecretVariable.fileSuffix]
    }

    /// Returns the most similar name, or `nil` if more than half of the longer name's characters would have to change.
    private static func nearest(to name: String, among names: [String]) -> String? {
        names.map { (distance: EditDistance.of(name, from: $0), name: $0) }
            .filter { 2 * $0.distance <= max(name.count, $0.name.count) - prefix.count + 1 }
            .min { $0.distance < $1.distance }?.name
    }
}

/// The edit distance between a name as written and an existing name.
///
/// It is a [Levenshtein](https://en.wikipedia.org/wiki/Levenshtein_distance) distance in which a missing byte counts
/// 1, and an extra or a replaced byte counts 2, because a person who writes `PORT` for `HTTP_PORT` has left something
/// out.
private enum EditDistance {
    static func of(_ written: String, from name: String) -> Int {
        let name = Array(name.utf8)
        var row = Array(0...name.count)
        for byte in written.utf8 {
            var diagonal = row[0]
            row[0] += 2
            for (index, wanted) in name.enumerated() {
                let replaced = diagonal + (byte == wanted ? 0 : 2)
                diagonal = row[index + 1]
                row[index + 1] = min(replaced, diagonal + 2, row[index] + 1)
            }
        }
        return row[name.count]
    }
}
