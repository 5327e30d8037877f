/// The commands that pages without any contents show. `Tests/EndToEndTests` runs them.
package enum FirstCommands {
    /// Makes the secret of a server, which the other commands take from the environment.
    package static let secret = "export CODEAGENTS_PUSH_SECRET=$(head -c 32 /dev/urandom | base64)"
    /// Registers a device of the inbox.
    package static let register = secret + "; pushgate register --cwd /srv/app --token emulated:my-phone"
    /// Notifies the devices of an agent.
    package static let trigger = #"pushgate trigger --cwd /srv/app --preview "All tests pass.""#
    /// Writes a document.
    package static let document = #"pushgate documents create notes/first '{"fields":{"name":{"stringValue":"x"}}}'"#
    /// Makes a service account.
    package static let account = "pushgate init"
}
