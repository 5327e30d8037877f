import HTTPTypes

/// The page at ``TryPage/path``: it subscribes a browser by a code, shows what arrives, and unsubscribes it.
extension CodeAgents {
    var pageEndpoints: [Endpoint] {
        let group = EndpointGroup("pairing", CodeAgentsError.self, logger: logger)
        return [
            group.endpoint(.get, PathPattern(stringLiteral: TryPage.path)) { request in
                TryPage(key: webPushKey(), isLocal: request.isFromLoopback).response
            },
            group.endpoint(.get, TryPage.pattern(below: "worker.js")) { _ in TryPage.worker },
            group.endpoint(.get, TryPage.pattern(below: "icon.png")) { _ in TryPage.icon },
            group.endpoint(.get, TryPage.pattern(below: "manifest.webmanifest")) { request in
                TryPage.manifest(with: request.query["code"].flatMap { PairingCode($0) })
            },
        ]
    }
}
