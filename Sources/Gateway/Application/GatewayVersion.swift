/// What this program calls itself.
public enum GatewayVersion {
    /// [Semantic version](https://semver.org); CHANGELOG.md says what came with it.
    public static let current = "0.1.0"
}
