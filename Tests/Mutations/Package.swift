// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the mutation tool parses Swift, which none of the library's users should have to fetch.
let package = Package(
  name: "mutations",
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "Mutating",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
      ]),
    .executableTarget(
      name: "mutate",
      dependencies: ["Mutating", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .testTarget(name: "MutatingTests", dependencies: ["Mutating", "mutate"]),
  ],
  swiftLanguageModes: [.v6]
)
