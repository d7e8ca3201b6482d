/** Packages that stay in node_modules, each with the reason. Everything else becomes part of a bundle. */
export const external: readonly RegExp[] = [
  // A compiled library each.
  /^@node-rs\//u,
  // Looked for when a codec is loaded, with JavaScript in their place where they were not built.
  /^cbor-extract$/u,
  /^msgpackr-extract$/u,
  // Its WebAssembly lies beside it.
  /^wasmoon$/u,
  // Its threads start from a file of its own.
  /^piscina$/u,
  // Reads its proto files; loaded only where gRPC is on.
  /^@grpc\//u,
  /^protobufjs(\/|$)/u,
  // Drivers of databases, loaded by those who use one.
  /^(pg|mysql2)(\/|$)/u,
];
