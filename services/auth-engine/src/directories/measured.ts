import { type Awaitable, after, orElse } from "@postern/shared/async";
import type { Directory } from "./directory.ts";

/** Told how each call of a directory ended, `unavailable` when it threw. */
export type ObserveDirectory = (
  directory: Directory,
  operation: "verify" | "lookup",
  outcome: string,
  seconds: number,
) => void;

function timed<Outcome extends { readonly kind: string }>(
  call: () => Awaitable<Outcome>,
  told: (outcome: string, seconds: number) => void,
): Awaitable<Outcome> {
  const started = performance.now();
  const tell = (outcome: string): void => told(outcome, (performance.now() - started) / 1000);
  const answered = orElse(call, (thrown) => {
    tell("unavailable");
    throw thrown;
  });
  return after(answered, (outcome) => {
    tell(outcome.kind);
    return outcome;
  });
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
