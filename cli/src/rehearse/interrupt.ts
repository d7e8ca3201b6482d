/** A signal that Ctrl-C aborts instead of ending the process, until it is disposed of. */
export function interruptible(): Disposable & { readonly signal: AbortSignal } {
  const aborter = new AbortController();
  const stop = (): void => aborter.abort();
  process.once("SIGINT", stop);
  return { signal: aborter.signal, [Symbol.dispose]: () => void process.off("SIGINT", stop) };
}
