// swift-tools-version: 6.2
import PackageDescription

/// `make check` sets this variable. Without it, new warnings of a newer compiler do not break a build.
let warnings: [SwiftSetting] =
    Context.environment["PUSHGATE_WARNINGS"] == "error" ? [.treatAllWarnings(as: .error)] : []

/// The compiler settings of every target. CONTRIBUTING.md has their meaning.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + warnings

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

let package = Package(
    name: "pushgate",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "pushgate", targets: ["Pushgate"]),
        .library(name: "DocumentStore", targets: ["DocumentStore"]),
        .library(name: "APNsSimulator", targets: ["APNsSimulator"]),
        .library(name: "PushgateClient", targets: ["PushgateClient"]),
        // Only for the tests of this package.
        .library(name: "HeldDisk", type: .dynamic, targets: ["HeldDisk"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Foundations, which are independent of pushing, documents and servers.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CNGHTTP2", path: "Sources/CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(name: "JSON", swiftSettings: strict),
        .target(name: "Cryptography", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "Settings", swiftSettings: strict),
        .target(name: "Signals", swiftSettings: strict),
        .target(name: "HTTPTransport", dependencies: ["CCurl", "Signals", httpTypes, logging], swiftSettings: strict),

        .target(
            name: "HTTP2Client",
            dependencies: [
                "CNGHTTP2", collections, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // The store: Firestore's document model on SQLite. Only DocumentStore imports GRDB. CachedReads, in C, reads
        // files without waiting for the disk.
        .target(name: "CachedReads"),
        .target(
            name: "DocumentStore",
            dependencies: [
                "JSON", "CachedReads", "Signals", collections, logging, metrics,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "store", exclude: ["DESIGN.md"], swiftSettings: strict),

        // Messaging: the counterpart of FCM over the store, and the transports to Apple and to Google.
        .target(
            name: "Messaging",
            dependencies: [
                "JSON", "DocumentStore", "Cryptography", "Signals", collections, lifecycle, logging, metrics,
            ],
            swiftSettings: strict),
        .target(
            name: "APNs",
            dependencies: ["JSON", "DocumentStore", "Messaging", "HTTP2Client", "Cryptography", logging],
            exclude: ["DESIGN.md"], swiftSettings: strict),
        // The transport that keeps notifications in memory, for development and tests.
        .target(
            name: "Emulator", dependencies: ["JSON", "DocumentStore", "Messaging", "Signals", collections],
            swiftSettings: strict),
        .target(
            name: "FCMRelay",
            dependencies: ["JSON", "Messaging", "HTTPTransport", "Cryptography", "Signals", httpTypes, logging],
            swiftSettings: strict),

        // Functions: a folder per system. The systems use the store and messaging, never a transport or a server.
        .target(
            name: "Functions",
            dependencies: [
                "JSON", "DocumentStore", "Messaging", "Cryptography", "Settings", "Signals", httpTypes, lifecycle,
                logging, metrics,
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "functions", swiftSettings: strict),

        // The HTTP surface and the assembly of the application, and the executable with a file per verb.
        .target(
            name: "Gateway",
            dependencies: [
                "JSON", "DocumentStore", "Messaging", "APNs", "Emulator", "FCMRelay", "HTTPTransport", "HTTP2Client",
                "Functions",
                "Cryptography", "Settings", "Signals",
                "CZlib", httpTypes, lifecycle, logging, metrics,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Pushgate",
            dependencies: [
                "JSON", "Gateway", "APNsSimulator", "HTTPTransport", "PushgateClient", "Cryptography", lifecycle,
                logging, metrics, httpTypes,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // The library that an app embeds: a product for iOS too, which depends on no other target.
        .target(
            name: "PushgateClient",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))
            ],
            swiftSettings: strict),

        // The stand-in for Apple's push service: a product that no target of the gateway links.
        .target(
            name: "APNsSimulator",
            dependencies: [
                "JSON", "Cryptography", "Signals", lifecycle, logging, collections,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // Tests: a target per target, and tests of whole gateways.
        // Tools for all tests and test programs. The target depends on no other target of the package.
        .target(
            name: "TestBasics",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestBasics", swiftSettings: strict),
        .target(
            name: "TestDoubles",
            dependencies: ["TestBasics", "DocumentStore", "JSON", "Messaging", "Signals", lifecycle, logging],
            path: "Tests/TestDoubles", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "TestBasics", "TestDoubles", "JSON", "DocumentStore", "Functions", "Messaging", "HTTPTransport",
                "Gateway",
                "APNsSimulator", "Cryptography", "CZlib", logging, httpTypes,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "GoogleStandIn",
            dependencies: [
                "TestDoubles", "JSON", "Cryptography", httpTypes, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/GoogleStandIn", swiftSettings: strict),
        // The smallest system, which shows the parts of a module, and that no other file needs an edit.
        .target(
            name: "ExampleSystem", dependencies: ["Functions", "JSON", "Messaging", "Settings", httpTypes],
            path: "Tests/ExampleSystem", swiftSettings: strict),
        .target(
            name: "GameSiteStandIn",
            dependencies: [
                "JSON", httpTypes, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/GameSiteStandIn", swiftSettings: strict),
        .executableTarget(
            name: "GameSiteServer", dependencies: ["GameSiteStandIn", logging], path: "Tests/GameSiteServer",
            swiftSettings: strict),
        .target(
            name: "Fuzzing",
            dependencies: [
                "TestBasics", "JSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            path: "Tests/Fuzzing", swiftSettings: strict),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Fuzzing", "TestBasics", "APNsSimulator", "GameSiteStandIn", "Cryptography", "JSON", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Fuzz", swiftSettings: strict),
        // A library that tests preload into gateways (LD_PRELOAD), so its product is dynamic.
        .target(name: "HeldDisk", path: "Tests/HeldDisk"),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestDoubles"], swiftSettings: strict),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], swiftSettings: strict),
        .testTarget(name: "SignalsTests", dependencies: ["Signals", "TestDoubles"], swiftSettings: strict),
        .testTarget(
            name: "DocumentStoreTests",
            dependencies: ["DocumentStore", "CachedReads", "JSON", "TestBasics", "TestDoubles", logging],
            swiftSettings: strict),
        .testTarget(
            name: "MessagingTests",
            dependencies: ["Messaging", "DocumentStore", "JSON", "TestDoubles", logging, lifecycle],
            exclude: ["Schema/Golden"], swiftSettings: strict),
        .testTarget(
            name: "EmulatorTests", dependencies: ["Emulator", "DocumentStore", "Messaging", "JSON", "TestDoubles"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: ["HTTPTransport", "APNsSimulator", "Cryptography", "TestDoubles", httpTypes, logging],
            swiftSettings: strict),
        .testTarget(
            name: "HTTP2ClientTests",
            dependencies: [
                "HTTP2Client", "APNsSimulator", "Cryptography", "TestDoubles", logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "APNsTests",
            dependencies: [
                "APNs", "APNsSimulator", "DocumentStore", "Messaging", "HTTP2Client", "Cryptography", "JSON",
                "TestDoubles", httpTypes, logging,
            ], exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "FCMRelayTests",
            dependencies: [
                "FCMRelay", "GoogleStandIn", "APNsSimulator", "TestDoubles", "DocumentStore", "Messaging",
                "HTTPTransport", "Cryptography", "JSON", logging,
            ], swiftSettings: strict),
        .testTarget(
            name: "FunctionsTests",
            dependencies: [
                "Functions", "DocumentStore", "Messaging", "JSON", "Cryptography", "TestDoubles", httpTypes, lifecycle,
                logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "APNsSimulatorTests",
            dependencies: [
                "APNsSimulator", "HTTPTransport", "Cryptography", "JSON", "TestBasics", "TestDoubles", httpTypes,
                lifecycle, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "APNsSimulator", "Cryptography", "DocumentStore", "Emulator", "GoogleStandIn", "HTTP2Client",
                "JSON",
                "HTTPTransport", "Messaging", "TestDoubles", "TestSupport", "ExampleSystem", "GameSiteStandIn",
                "Functions", "Settings",
                httpTypes,
                logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Fuzzing", "TestBasics", "Cryptography", "JSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PushgateClientTests", dependencies: ["PushgateClient", "TestBasics"], swiftSettings: strict),
        .testTarget(
            name: "BrowserTests",
            dependencies: ["TestDoubles", "TestSupport", "HTTPTransport", "APNsSimulator", "JSON", httpTypes],
            swiftSettings: strict),
        // Tests with many connections and devices, and tests with floods of requests. They use all processors, so they
        // are separate targets that `make test` runs one at a time.
        .testTarget(
            name: "ScaleTests",
            dependencies: [
                "TestDoubles", "TestSupport", "Pushgate", "Gateway", "APNsSimulator", "DocumentStore", "JSON",
                "Cryptography", httpTypes,
            ], swiftSettings: strict),
        .testTarget(
            name: "AttackTests", dependencies: ["TestSupport", "TestDoubles", "Pushgate", "JSON", httpTypes],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Fuzzing", "TestDoubles", "TestSupport", "Pushgate", "PushgateClient", "Gateway", "APNsSimulator",
                "HTTPTransport",
                "DocumentStore", "Emulator", "Messaging", "JSON", "Cryptography", httpTypes, logging,
            ], exclude: ["Upgrade/Golden"],
            swiftSettings: strict),
    ]
)

// `make bench` and `make cost` set this variable. Only they need these programs.
if Context.environment["PUSHGATE_BENCHMARKS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "BareHummingbird",
            dependencies: [
                logging, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Benchmarks/bare-hummingbird", swiftSettings: strict))
    package.targets.append(
        .executableTarget(
            name: "Parts",
            dependencies: ["DocumentStore", "Functions", "JSON", "Messaging", "TestDoubles", httpTypes],
            path: "Benchmarks/parts", swiftSettings: strict))
}

// `make docs` sets this variable. Only it needs the plug-in.
if Context.environment["PUSHGATE_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// `make tsan` sets this variable. Tests/InstrumentedSynchronization/Mutex.swift has the reason.
if Context.environment["PUSHGATE_SANITIZER"] == "thread" {
    let instrumented = "InstrumentedSynchronization"
    // Targets in C do not import Synchronization.
    for target in package.targets where target.type != .system && !["CachedReads", "HeldDisk"].contains(target.name) {
        target.dependencies.append(.byName(name: instrumented))
        target.swiftSettings = strict + [.unsafeFlags(["-module-alias", "Synchronization=\(instrumented)"])]
    }
    package.targets.append(
        .target(name: instrumented, path: "Tests/\(instrumented)", swiftSettings: strict))
}
