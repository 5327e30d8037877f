/// The environment's variables of the gateway.
extension GatewayConfiguration {
    private static let variablePrefix = "PUSHGATE_"

    /// Those that are no keys: the command line's, and those of docker/compose.yaml.
    private static let otherVariables: Set = ["PUSHGATE_DEVICE_TOKEN", "PUSHGATE_PUBLISHED_PORT"]

    /// Returns a sentence for each variable that looks like one of the gateway's, and is none: a setting that has no effect.
    public static func unknownVariables(in environment: [String: String]) -> [String] {
        let variables = keys.map(variable).sorted()
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(variablePrefix), !otherVariables.contains(name),
                !variables.contains(name),
                let nearest = nearest(to: name.uppercased(), among: variables)
            else { return nil }
            return "\(name) is no setting; did you mean \(nearest)?"
        }
    }

    private static func nearest(to name: String, among variables: [String]) -> String? {
        variables.map { (distance: EditDistance.of(name, from: $0), name: $0) }.min {
            $0.distance < $1.distance
        }?.name
    }

    /// Returns the name of a key's variable: `PUSHGATE_HTTP_REQUEST_TIMEOUT` for `http.requestTimeout`.
    static func variable(of key: String) -> String {
        key.reduce(into: variablePrefix) { name, character in
            if character.isUppercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
        }
    }
}
