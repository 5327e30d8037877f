import TestBasics

/// Requests to the proxy that it must refuse.
enum BrokenTunnel {
    private static let authorities = [
        "fcm.googleapis.com:443", "fcm.googleapis.com", "fcm.googleapis.com:80", "FCM.GOOGLEAPIS.COM:443",
        "127.0.0.1:22",
        "[::1]:443", "evil.example:443", "oauth2.googleapis.com:443", "iid.googleapis.com:99999", ":443", "", "a b:443",
        "fcm.googleapis.com:443@evil.example:443", "fcm.googleapis.com:0443", "fcm.googleapis.com.:443",
    ]

    static func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
        let authority = generator.pick(authorities)
        var request = RequestText(
            method: generator.pick(["CONNECT", "CONNECT", "CONNECT", "GET", "connect", "POST"]), target: authority,
            headers: [("Host", generator.pick([authority, "127.0.0.1"]))])
        request.contentLength = generator.pick([nil, nil, "0", "5"])
        for _ in 0..<generator.number(0...2) {
            request.headers.append((generator.pick(OddText.names), generator.pick(OddText.values)))
        }
        var bytes = request.bytes
        if generator.number(0...1) == 0 { ByteMutation.apply(generator.number(1...3), to: &bytes, &generator) }
        return bytes + generator.pick([[], generator.bytes(50), [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3]])
    }
}
