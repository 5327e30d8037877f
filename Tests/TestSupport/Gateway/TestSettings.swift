/// What gateways of tests are told, by key: any free port, and no rate limits.
enum TestSettings {
    static let base = [
        "http.port": "0",
        "functions.codeagents.requestsPerMinutePerSecret": "0",
        "functions.codeagents.requestsPerMinutePerAddress": "0",
        "functions.codeagents.newServersPerHourPerAddress": "0",
    ]
}
