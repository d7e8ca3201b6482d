import type { Directory } from "./directory.ts";

/** Told how each call of a directory ended, `unavailable` when it threw. */
export type ObserveDirectory = (
  directory: Directory,
  operation: "verify" | "lookup",
  outcome: string,
  seconds: number,
) => void;

async function timed<Outcome extends { readonly kind: string }>(
  call: () => Promise<Outcome>,
  told: (outcome: string, seconds: number) => void,
): Promise<Outcome> {
  const started = performance.now();
  let outcome = "unavailable";
  try {
    const result = await call();
    outcome = result.kind;
    return result;
  } finally {
    told(outcome, (performance.now() - started) / 1000);
  }
}

/** The same directory, with every call told to `observe`. */
export function measuredDirectory(directory: Directory, observe: ObserveDirectory): Directory {
  return {
    kind: directory.kind,
    name: directory.name,
    mfa: directory.mfa,
    verify: (query, password, context) =>
      timed(
        () => directory.verify(query, password, context),
        (outcome, seconds) => observe(directory, "verify", outcome, seconds),
      ),
    lookup: (query, context) =>
      timed(
        () => directory.lookup(query, context),
        (outcome, seconds) => observe(directory, "lookup", outcome, seconds),
      ),
    listAccounts: (query, page, context) => directory.listAccounts(query, page, context),
    endListing: (position) => directory.endListing(position),
    spendVerification: (query, password, context) => directory.spendVerification(query, password, context),
    forget: (name) => directory.forget?.(name),
    check: (context) => directory.check(context),
    close: () => directory.close(),
  };
}
