import ArgumentParser

/// The options of a verb that reads the data directory of a gateway on this machine, which may run or not.
struct LocalGatewayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The gateway's data directory. Default: PUSHGATE_DATA_DIRECTORY, else that of the gateway on this machine.
            """,
            valueName: "DIRECTORY"))
    var dataDirectory: String?

    @Flag(help: "Print JSON, for programs.")
    var json = false

    /// The same options for requests to the gateway, if it runs.
    var gateway: GatewayOptions {
        var options = GatewayOptions()
        options.server = nil
        options.dataDirectory = dataDirectory
        options.json = json
        return options
    }
}
