package import Messaging

/// The examination of the ways to relays.
extension AuthorRelayService {
    package static func examine(_ settings: RelayTransportSettings, host: PushServiceHost) async -> [Finding] {
        let hosts = settings.hosts
        var findings: [Finding] = []
        if !settings.connectTo.isEmpty {
            findings.append(
                .warning(
                    "relay", "relay.connectTo leads relays to other servers",
                    because: "No message reaches these relays.", advice: "Remove the setting, unless this is a test."))
        }
        let client = RelayClient(
            caFile: settings.written.caFile, connectTo: settings.connectTo, hosts: { hosts }, now: host.now,
            logger: host.logger)
        let probes = RelayProbe.all(hosts, in: await host.survey())
        findings += await withTaskGroup(of: (place: Int, finding: Finding).self) { group in
            for (place, probe) in probes.enumerated() {
                group.addTask { (place, await probe.finding(hosts, client)) }
            }
            var findings: [(place: Int, finding: Finding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.place < $1.place }.map(\.finding)
        }
        await client.shutdown()
        if findings.isEmpty { findings.append(.ok("relay", "no relay is named, and no registration leads to one")) }
        return findings
    }
}
