import type { Backend } from "./backend.ts";

/** Called with the outcome of each backend call, `unavailable` if it threw. */
export type ObserveBackend = (
  backend: Backend,
  operation: "verify" | "lookup",
  outcome: string,
  seconds: number,
) => void;

async function timed<Outcome extends { readonly kind: string }>(
  call: () => Promise<Outcome>,
  observe: (outcome: string, seconds: number) => void,
): Promise<Outcome> {
  const started = performance.now();
  const observeOutcome = (outcome: string): void => observe(outcome, (performance.now() - started) / 1000);
  try {
    const outcome = await call();
    observeOutcome(outcome.kind);
    return outcome;
  } catch (error) {
    observeOutcome("unavailable");
    throw error;
  }
}

/** Reports every call of the backend to `observe`. */
export function measuredBackend(backend: Backend, observe: ObserveBackend): Backend {
  return {
    kind: backend.kind,
    name: backend.name,
    mfa: backend.mfa,
    verify: (query, password, context) =>
      timed(
        () => backend.verify(query, password, context),
        (outcome, seconds) => observe(backend, "verify", outcome, seconds),
      ),
    lookup: (query, context) =>
      timed(
        () => backend.lookup(query, context),
        (outcome, seconds) => observe(backend, "lookup", outcome, seconds),
      ),
    listAccounts: (query, page, context) => backend.listAccounts(query, page, context),
    endListing: (position) => backend.endListing(position),
    spendVerification: (query, password, context) => backend.spendVerification(query, password, context),
    forget: (name) => backend.forget?.(name),
    check: (context) => backend.check(context),
    close: () => backend.close(),
  };
}
