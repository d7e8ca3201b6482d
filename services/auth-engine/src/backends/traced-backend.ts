import { type Tracer, traced } from "@postern/shared/platform/tracing";
import type { Backend } from "./backend.ts";

/** Adds a span for each call of a traced request to the backend. */
export function tracedBackend(backend: Backend, tracer: Tracer): Backend {
  const { kind, name } = backend;
  const attributes = { "postern.backend": `${kind}:${name}` };
  const inSpan = <Outcome extends { readonly kind: string }>(
    operation: string,
    call: () => Promise<Outcome>,
  ): Promise<Outcome> =>
    traced(tracer, { name: `${kind} ${operation}`, kind: "client", attributes }, async (span) => {
      const outcome = await call();
      span?.set({ "postern.outcome": outcome.kind });
      return outcome;
    });
  return {
    kind,
    name,
    mfa: backend.mfa,
    verify: (query, password, context) => inSpan("verify", () => backend.verify(query, password, context)),
    lookup: (query, context) => inSpan("lookup", () => backend.lookup(query, context)),
    listAccounts: (query, page, context) => backend.listAccounts(query, page, context),
    endListing: (position) => backend.endListing(position),
    spendVerification: (query, password, context) => backend.spendVerification(query, password, context),
    forget: (account) => backend.forget?.(account),
    check: (context) => backend.check(context),
    close: () => backend.close(),
  };
}
