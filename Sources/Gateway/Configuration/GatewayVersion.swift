/// The version of this program.
package enum GatewayVersion {
    /// The [semantic version](https://semver.org); CHANGELOG.md lists the changes of each version.
    package static let current = "0.1.0"
}
