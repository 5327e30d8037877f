package import DocumentStore

/// Something that has happened to notifications, tokens, lanes or approvals, for programs of the operator.
package enum DeliveryEvent: Sendable {
    /// Notifications of a message have settled. At most 500, all on one lane.
    case settled(MessageOrigin, Lane, [SettledNotification])
    /// Devices have reported a message that had not reported it before. The numbers are those of these devices.
    case receipts(MessageOrigin, ReceiptCounts)
    /// A push service has reported that tokens are no longer valid. Their registrations are removed, unless they were
    /// renewed meanwhile.
    case invalidTokens(Lane, [InvalidToken])
    /// An app is held up, so its messages wait. The lane is the first one of it that was paused for the reason.
    case heldUp(Lane, LaneFailure, reason: String)
    /// An app that was held up sends again. All its lanes do, so this one has no environment.
    case resumed(Lane)
    /// A person has decided an approval of a run.
    case decided(ApprovalDecision)

    /// A person's decision about an approval of a run.
    package struct ApprovalDecision: Hashable, Sendable {
        /// The approval's id.
        package let approval: String
        /// The id of the run that waits for it.
        package let run: String
        /// The run's server, as it named itself; `nil` if it did not.
        package let server: String?
        /// `approved` or `denied`.
        package let decision: String
        /// The time of the decision.
        package let decidedAt: Timestamp

        package init(approval: String, run: String, server: String?, decision: String, decidedAt: Timestamp) {
            self.approval = approval
            self.run = run
            self.server = server
            self.decision = decision
            self.decidedAt = decidedAt
        }
    }

    /// The message that notifications are of.
    package struct MessageOrigin: Hashable, Sendable {
        /// The message's id.
        package let id: String
        /// The system that sent it, such as `codeagents`.
        package let source: String
    }

    /// A notification that is settled.
    package struct SettledNotification: Hashable, Sendable {
        /// The end of a notification.
        package enum Outcome: Hashable, Sendable {
            case accepted
            case superseded
            /// - Parameters:
            ///   - code: the error in the words of the Admin SDKs.
            ///   - reason: the push service's own word.
            case rejected(code: String, reason: String)
        }

        /// The notification's id.
        package let id: NotificationID
        /// The target.
        package let target: Target
        /// The end.
        package let outcome: Outcome
    }

    /// A token that is no longer valid.
    package struct InvalidToken: Hashable, Sendable {
        /// The target with the token.
        package let target: Target
        /// The report of the push service.
        package let invalidation: TokenInvalidation
    }
}

/// A recorder of events.
package protocol DeliveryEventRecorder: Sendable {
    /// `true` if events are recorded at present. Without that nothing is done for them.
    var isRecording: Bool { get }

    /// Returns the writes that record events. They belong into the commit of what has happened, and may be committed
    /// again if the result of a commit is unknown.
    func writes(recording events: [DeliveryEvent]) -> [Write]

    /// Continues after a commit with such writes.
    func recorded()
}
