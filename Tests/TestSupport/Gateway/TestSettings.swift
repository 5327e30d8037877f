/// The settings of gateways in tests, by key: any free port, no rate limits and no minimum of free disk space.
enum TestSettings {
    static let base = [
        "http.port": "0",
        "data.minimumFreeBytes": "0",
        "functions.codeagents.requestsPerMinutePerSecret": "0",
        "functions.codeagents.requestsPerMinutePerAddress": "0",
        "functions.codeagents.newServersPerHourPerAddress": "0",
        "webpush.newRegistrationsPerHourPerAddress": "0",
    ]
}
