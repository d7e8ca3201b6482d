import { type Tracer, traced } from "@postern/shared/platform/tracing";
import type { Backend } from "./backend.ts";

/** Called with the outcome of each call that verifies or looks up, `unavailable` if it threw. */
export type ObserveBackend = (backend: Backend, outcome: string, seconds: number) => void;

/** Reports each call that verifies or looks up to `observe`, and gives it a span if its request is traced. */
export function observedBackend(backend: Backend, observe: ObserveBackend, tracer: Tracer | undefined): Backend {
  const { kind, name } = backend;
  const attributes = { "postern.backend": `${kind}:${name}` };
  const inSpan = <Outcome extends { readonly kind: string }>(operation: string, call: () => Promise<Outcome>) =>
    tracer === undefined
      ? call()
      : traced(tracer, { name: `${kind} ${operation}`, kind: "client", attributes }, async (span) => {
          const outcome = await call();
          span?.set({ "postern.outcome": outcome.kind });
          return outcome;
        });
  const timed = async <Outcome extends { readonly kind: string }>(
    operation: "verify" | "lookup",
    call: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const started = performance.now();
    const ended = (outcome: string): void => observe(backend, outcome, (performance.now() - started) / 1000);
    try {
      const outcome = await inSpan(operation, call);
      ended(outcome.kind);
      return outcome;
    } catch (error) {
      ended("unavailable");
      throw error;
    }
  };
  return {
    ...backend,
    verify: (query, password, context) => timed("verify", () => backend.verify(query, password, context)),
    lookup: (query, context) => timed("lookup", () => backend.lookup(query, context)),
  };
}
