import ArgumentParser

struct Sessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Administer coding sessions.", subcommands: [Keys.self])

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make, list and revoke the keys of machines and phones.",
            discussion: """
                They are made in a gateway that runs on this machine, and need no restart. The master key is taken from \
                PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY, else from the gateway's configuration (--config).
                """,
            subcommands: [Create.self, List.self, Revoke.self])
    }
}
