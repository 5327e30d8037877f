import HTTPTypes

/// The page at ``pagePath``: it subscribes a browser by a code, shows what arrives, and unsubscribes it.
extension CodeAgents {
    var pageEndpoints: [Endpoint] {
        let group = EndpointGroup("pairing", CodeAgentsError.self, logger: logger)
        return [
            group.endpoint(.get, "/try") { request in
                TryPage(key: webPushKey(), isLocal: request.isFromLoopback).response
            },
            group.endpoint(.get, "/try/worker.js") { _ in TryPage.worker },
            group.endpoint(.get, "/try/icon.png") { _ in TryPage.icon },
            group.endpoint(.get, "/try/manifest.webmanifest") { request in
                TryPage.manifest(with: request.query["code"].flatMap { PairingCode($0) })
            },
        ]
    }
}
