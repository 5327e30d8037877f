internal import CCurl

extension EventLoop {
    func accept(_ transfer: Transfer) {
        live[transfer.id] = transfer
        pool(ConnectionPool.Key(transfer)).enqueue(transfer)
    }

    /// Ends a transfer at its caller's wish, unless it is finished already.
    func cancel(_ id: RequestID) {
        guard let transfer = live[id] else { return }
        let host = transfer.origin.authority
        finish(transfer, .failure(.cancelled(host: host, isUnprocessed: abandon(transfer))))
    }

    func startWaiting(at now: Instant) {
        for pool in pools.values {
            while let (transfer, connection) = pool.next(at: now) {
                start(transfer, on: connection)
            }
        }
    }

    func expireWaiting(at now: Instant) {
        for pool in pools.values where pool.hasWaiting {
            for transfer in pool.removeExpired(at: now) {
                finish(transfer, .failure(.waitedTooLong(host: transfer.origin.authority)))
            }
        }
    }

    /// Hands out what libcurl has finished; answers how many there were.
    func collectFinished() -> Int {
        var count = 0
        for pool in pools.values {
            for connection in pool.connections {
                while let finished = connection.nextFinished() {
                    settle(finished, on: connection)
                    count += 1
                }
            }
        }
        return count
    }

    func closeIdleConnections(at now: Instant) {
        for (key, pool) in pools {
            pool.closeConnections(idleSince: now - configuration.idleLifetime)
            if pool.isEmpty { pools[key] = nil }
        }
    }

    /// Gives a caller its answer, once.
    func finish(_ transfer: Transfer, _ result: Result<HTTPClientResponse, HTTPClientError>) {
        live[transfer.id] = nil
        counter.finished(result)
        transfer.finish(result)
    }

    /// Takes a transfer off its connection; answers whether the server cannot have acted on it.
    func abandon(_ transfer: Transfer) -> Bool {
        guard let connection = transfer.connection, let handle = connection.abandon(transfer) else { return true }
        connection.state.failed(.cancelled, startedAt: transfer.startedAt ?? transfer.submittedAt, at: .now)
        counter.opened(handle.number(CURLINFO_NUM_CONNECTS))
        return !handle.wasSent
    }

    private func pool(_ key: ConnectionPool.Key) -> ConnectionPool {
        if let pool = pools[key] { return pool }
        let pool = ConnectionPool(key.version, configuration)
        pools[key] = pool
        return pool
    }

    private func start(_ transfer: Transfer, on connection: Connection) {
        guard let handle = handles.take() else {
            return finish(transfer, .failure(.resources("memory is short", host: transfer.origin.authority)))
        }
        let now = Instant.now
        transfer.startedAt = now
        handle.prepare(transfer, remaining: now.duration(to: transfer.expiresAt))
        connection.start(transfer, on: handle, at: now)
    }

    private func settle(_ finished: Connection.Finished, on connection: Connection) {
        let transfer = finished.transfer
        switch outcome(of: finished) {
        case .success(let response):
            connection.state.answered(response.version, at: .now)
            if response.connectionsOpened == 0 { handles.giveBack(finished.handle) }
            finish(transfer, .success(response))
        case .failure(let error):
            connection.state.failed(error.kind, startedAt: transfer.startedAt ?? transfer.submittedAt, at: .now)
            counter.opened(finished.handle.number(CURLINFO_NUM_CONNECTS))
            finish(transfer, .failure(error))
        }
    }

    private func outcome(of finished: Connection.Finished) -> Result<HTTPClientResponse, HTTPClientError> {
        let (transfer, handle) = (finished.transfer, finished.handle)
        guard !transfer.collector.isTooLarge else {
            let limit = configuration.maximumResponseBytes
            return .failure(.tooLarge(host: transfer.origin.authority, limit: limit))
        }
        guard finished.code == CURLE_OK else {
            return .failure(
                HTTPClientError(
                    finished.code, words: handle.errorWords, origin: transfer.origin, path: transfer.path,
                    wasSent: handle.wasSent))
        }
        return .success(handle.response(to: transfer))
    }
}
