/// What the control address offers, for tests in the same process.
extension APNsSimulator {
    public var counters: SimulatorCounters { history.counters }

    /// What has been received and is still kept, the oldest first, whatever it was answered.
    public func received(matching filter: NotificationFilter = .all) -> [ReceivedNotification] {
        history.page(matching: filter).notifications
    }

    /// Waits until as many matching notifications have been received since the start or the last reset.
    ///
    /// - Returns: all that match and are kept: perhaps more than were waited for.
    /// - Throws: ``APNsSimulatorError/timedOut(waitingFor:received:seconds:)``, also when the task is cancelled.
    @discardableResult
    public func wait(
        for count: Int, matching filter: NotificationFilter = .all, timeout: Duration = .seconds(10)
    ) async throws(APNsSimulatorError) -> [ReceivedNotification] {
        let isReached = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await NotificationWait(self.history).reached(count, matching: filter) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard isReached else {
            throw .timedOut(
                waitingFor: count, received: history.page(matching: filter, limit: 0).total,
                seconds: timeout / .seconds(1))
        }
        return received(matching: filter)
    }

    /// Forgets what was received and sets the counters to zero. Scripts stay.
    public func reset() { history.reset() }

    /// Adds answers for the next valid requests to a device token, or to any when it is `nil`.
    ///
    /// Steps are used up in order; those for the token go before those for all. After the last one it is 200 again.
    public func script(token: String?, answers: [ScriptedAnswer]) {
        scripts.append(answers, for: token)
    }

    /// Drops all scripted answers.
    public func clearScript() { scripts.removeAllAnswers() }

    /// Adds steps for the connections that are opened from now on. After the last one they behave well again.
    public func script(connections: [ConnectionScript]) {
        scripts.append(connections: connections)
    }

    /// Drops the steps for connections that are left. Open connections keep theirs.
    public func clearConnectionScripts() { scripts.replace(connections: []) }
}
