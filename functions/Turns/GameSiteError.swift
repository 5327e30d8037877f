/// Why a player's games are not known.
enum GameSiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The site is left alone for a while.
    case leftAlone
    /// As many are being asked after as may be.
    case busy
    /// It answered with another status than 200.
    case status(Int, retryAfter: Duration?)
    case noAnswer(FetchError)
    /// The answer has no list of games.
    case unreadable
    /// One of the others, when it has come of a trouble of the site as a whole.
    indirect case siteFailed(GameSiteError)

    var description: String {
        switch self {
        case .leftAlone: "the site is left alone for a while"
        case .busy: "too many ask at the same time"
        case .status(let status, _): "the site answered with status \(status)"
        case .noAnswer(let error): "the site did not answer: \(error)"
        case .unreadable: "the site's answer has no list of games"
        case .siteFailed(let error): error.description
        }
    }

    /// What this says about the site as a whole; nil when it is about this player alone.
    var hostTrouble: HostTrouble? {
        switch self {
        case .status(429, let retryAfter), .status(503, let retryAfter): .certain(retryAfter: retryAfter)
        // A redirection leads away from the address that is configured, and 403 may be a site's way to turn us out.
        case .status(300..<400, _), .status(403, _), .status(500..., _): .suspected
        case .noAnswer(let error): error.hostTrouble
        case .siteFailed(let error): error.hostTrouble
        case .status, .unreadable, .leftAlone, .busy: nil
        }
    }
}

extension FetchError {
    fileprivate var hostTrouble: HostTrouble? {
        switch kind {
        case .unreachable: .certain(retryAfter: nil)
        case .timedOut, .broken, .other: .suspected
        case .tooLarge, .cancelled: nil
        }
    }
}
