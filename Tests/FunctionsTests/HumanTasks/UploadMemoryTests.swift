import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Memory for uploads", .timeLimit(.minutes(10)))
struct UploadMemoryTests {
    private let memory = UploadMemory(1_000_000, freeBytes: 1_000)

    /// Sends a body in two pieces, the second one when the gate opens.
    private func upload(
        _ size: Int, from address: String, announcing length: Int? = nil, _ begun: Begun, _ gate: Gate
    ) async throws -> Int? {
        try await memory.receiving(from: [address], atMost: length ?? size + 1) { take in
            let isWanted = take([UInt8](repeating: 7, count: size))
            begun.count.withLock { $0 += 1 }
            guard isWanted else { return }
            await gate.pass()
            _ = take([7])
        } work: {
            $0.allSatisfy { $0 == 7 } ? $0.count : -1
        }
    }

    private func upload(_ size: Int, from address: String) async throws -> Int? {
        try await memory.receiving(from: [address], atMost: size) { take in
            var left = size
            while left > 0, take([UInt8](repeating: 7, count: min(700, left))) { left -= min(700, left) }
        } work: {
            $0.allSatisfy { $0 == 7 } ? $0.count : -1
        }
    }

    @Test("Uploads use the memory of the bytes received, not of the announced length")
    func announced() async throws {
        let (begun, gate) = (Begun(), Gate())
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<10 { group.addTask { try await upload(10, from: "a", announcing: 900_000, begun, gate) } }
            try await eventually("ten uploads have begun") { begun.count.withLock(\.self) == 10 }
            #expect(try await upload(900_000, from: "a") == 900_000)
            gate.open()
            for try await size in group { #expect(size == 11) }
        }
    }

    @Test("A full upload memory evicts the address that holds most, and others continue")
    func eviction() async throws {
        let (begun, gate) = (Begun(), Gate())
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for (size, address) in [(500_000, "a"), (400_000, "b")] {
                group.addTask { try await upload(size, from: address, begun, gate) }
            }
            try await eventually("two uploads have nearly arrived") { begun.count.withLock(\.self) == 2 }
            #expect(try await upload(1_000, from: "c") == 1_000)
            #expect(try await upload(300_000, from: "c") == 300_000)
            #expect(try await upload(900_000, from: "c") == nil)
            gate.open()
            var sizes: [Int?] = []
            for try await size in group { sizes.append(size) }
            #expect(sizes.count == 2 && sizes.contains(nil) && sizes.contains(400_001))
        }
        #expect(try await upload(990_000, from: "d") == 990_000)
    }
}

/// A counter of uploads whose first piece has arrived.
private final class Begun: Sendable {
    let count = Mutex(0)
}
