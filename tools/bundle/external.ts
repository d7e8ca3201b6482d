/** Packages that stay in node_modules, each with the reason. Everything else is bundled. */
export const external: readonly RegExp[] = [
  // Each is a compiled library.
  /^@node-rs\//u,
  // Probed when a codec is loaded; JavaScript replaces them where they were not built.
  /^cbor-extract$/u,
  /^msgpackr-extract$/u,
  // Its WebAssembly file is beside it.
  /^wasmoon$/u,
  // Its threads start from a separate file.
  /^piscina$/u,
  // Reads its proto files; loaded only if gRPC is enabled.
  /^@grpc\//u,
  /^protobufjs(\/|$)/u,
  // Database drivers, loaded only if they are used.
  /^(pg|mysql2)(\/|$)/u,
];
