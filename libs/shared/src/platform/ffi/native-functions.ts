/** Node announces with a warning that its module may change. The packaged version of Node is pinned. */
export function nativeFunctions() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = emitWarning;
  }
}
