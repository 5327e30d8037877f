import Messaging

extension Failure {
    /// Returns a failure of a whole lane.
    static func ofLane(_ failure: LaneFailure, retryAfter: Duration? = nil) -> Failure {
        Failure(code: .thirdPartyAuthError, reason: "Refused", retryAfter: retryAfter, laneFailure: failure)
    }
}
