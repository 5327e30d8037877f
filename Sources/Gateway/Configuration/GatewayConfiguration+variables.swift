/// The environment's variables of the gateway.
extension GatewayConfiguration {
    private static let variablePrefix = "PUSHGATE_"

    /// Those that are no keys: the command line's, and those of docker/compose.yaml.
    private static let otherVariables: Set = ["PUSHGATE_DEVICE_TOKEN", "PUSHGATE_PUBLISHED_PORT"]

    /// Returns a sentence for each variable that looks like one of the gateway's, and is none: a setting that has no effect.
    /// It names the nearest key, if one is near.
    public static func unknownVariables(in environment: [String: String]) -> [String] {
        let variables = keys.map(variable).sorted()
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(variablePrefix), !otherVariables.contains(name),
                !variables.contains(name)
            else { return nil }
            let advice =
                nearest(to: name.uppercased(), among: variables).map { "did you mean \($0)?" }
                ?? "docs/configuration.md lists them"
            return "\(name) is no setting; \(advice)"
        }
    }

    /// - Returns: `nil` if more than half of the longer one's characters would have to change.
    private static func nearest(to name: String, among variables: [String]) -> String? {
        let nearest = variables.map { (distance: EditDistance.of(name, from: $0), name: $0) }.min {
            $0.distance < $1.distance
        }
        guard let nearest else { return nil }
        let length = max(name.count, nearest.name.count) - variablePrefix.count
        return 2 * nearest.distance <= length + 1 ? nearest.name : nil
    }

    /// Returns the name of a key's variable: `PUSHGATE_HTTP_REQUEST_TIMEOUT` for `http.requestTimeout`.
    static func variable(of key: String) -> String {
        key.reduce(into: variablePrefix) { name, character in
            if character.isUppercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
        }
    }
}
