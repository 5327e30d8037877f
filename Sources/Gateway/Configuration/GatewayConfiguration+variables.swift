import Settings

/// The gateway's environment variables.
extension GatewayConfiguration {
    private static let variablePrefix = "PUSHGATE_"

    /// The variables that are not keys: those of the command line and of docker/compose.yaml.
    private static let otherVariables: Set = ["PUSHGATE_DEVICE_TOKEN", "PUSHGATE_PUBLISHED_PORT"]

    /// Returns a sentence for each variable that has the gateway's prefix but is not a setting, so that it has no
    /// effect. The sentence names the nearest key if one is similar.
    package static func unknownVariables(in environment: [String: String]) -> [String] {
        let variables = allDeclarations().flatMap { Self.variables(of: $0) }.sorted()
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(variablePrefix), !otherVariables.contains(name),
                !variables.contains(name)
            else { return nil }
            let advice =
                nearest(to: name.uppercased(), among: variables).map { "did you mean \($0)?" }
                ?? "docs/configuration.md lists the settings"
            return "\(name) is not a setting; \(advice)"
        }
    }

    /// Returns advice for a key that is not one: the nearest key if one is similar.
    static func advice(for key: String, among keys: Set<String>) -> String {
        let names = Dictionary(keys.map { (variable(of: $0), $0) }) { $1 }
        return nearest(to: variable(of: key), among: names.keys.sorted()).flatMap { names[$0] }
            .map { "did you mean \($0)?" } ?? "docs/configuration.md lists the keys"
    }

    /// Returns the most similar variable name, or `nil` if more than half of the longer name's characters would have
    /// to change.
    private static func nearest(to name: String, among variables: [String]) -> String? {
        variables.map { (distance: EditDistance.of(name, from: $0), name: $0) }
            .filter { 2 * $0.distance <= max(name.count, $0.name.count) - variablePrefix.count + 1 }
            .min { $0.distance < $1.distance }?.name
    }

    /// Returns the names of a setting's variables: that of its value, and for a secret that of a file's path.
    private static func variables(of declaration: SettingDeclaration) -> [String] {
        let name = variable(of: declaration.key)
        return declaration.secrecy == .open ? [name] : [name, name + SecretVariable.fileSuffix]
    }

    /// Returns the name of a key's variable, for example `PUSHGATE_HTTP_REQUEST_TIMEOUT` for `http.requestTimeout`.
    static func variable(of key: String) -> String {
        key.reduce(into: variablePrefix) { name, character in
            if character.isUppercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
        }
    }
}

/// The edit distance between a name as written and an existing name.
///
/// It is a [Levenshtein](https://en.wikipedia.org/wiki/Levenshtein_distance) distance in which a missing byte counts
/// 1, and an extra or a replaced byte counts 2, because a person who writes `PORT` for `HTTP_PORT` has left something
/// out.
enum EditDistance {
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
