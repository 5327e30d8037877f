import HTTPClient
import HTTPTypes
import Instance
import JSON
import Messaging
import Secrets

/// The running gateway, and the checks that it makes itself.
struct RunningGatewayCheck: DoctorCheck {
    let part = "gateway"

    func findings(in context: DoctorContext) async -> [Finding] {
        let directory = context.directory
        guard directory.lock.isTaken else { return [ok("not running on \(directory.path)")] }
        do {
            guard let address = try directory.address.believed(), let token = directory.adminToken.existing() else {
                return [ok("running; its address or its admin token is not in \(directory.path)")]
            }
            let answer = try await context.client.get(
                address + "/readyz", [.authorization: "Bearer \(token.value)"])
            let checks = try JSONValue(parsing: answer.body)["checks"]?.array ?? []
            return checks.compactMap(finding) + [ok("running at \(address), \(answer.statusCode)")]
        } catch {
            return [
                failed(
                    "it runs, and cannot be asked: \(error)", because: "Its own checks are missing here.",
                    advice: "Look at its log, and see if its clients get answers.")
            ]
        }
    }

    /// Returns the finding of a check of the gateway; `nil` if all is well.
    private func finding(_ check: JSONValue) -> Finding? {
        guard let name = check["name"]?.string, let state = check["state"]?.string, state != "ok" else { return nil }
        let fact = "\(name): \(check["problem"]?.string ?? state)"
        guard name != "channels" else {
            return warning(
                fact, because: "Such a card changes only if its app sends the update token, which often never comes.",
                advice: "Look at “pushgate channels list”, and at the reason in docs/apns.md; an hour after the last "
                    + "such card, this warning ends.")
        }
        guard name != "devices" else {
            return warning(
                fact, because: "Their notifications do not arrive.",
                advice: "Do as it says; a day after the last such request, this warning ends.")
        }
        let advice = "Correct the cause; the gateway goes on by itself."
        return state == "failed"
            ? failed(fact, because: "It accepts no messages.", advice: advice)
            : warning(fact, because: "It accepts messages, and delivers some of them later.", advice: advice)
    }
}
