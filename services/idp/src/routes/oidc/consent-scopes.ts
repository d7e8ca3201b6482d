import type { ConsentEnd } from "../../flow/flow-port.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import type { VisitContext as LoginDeps } from "../../visit/context.ts";

export interface ConsentDeps extends Pick<LoginDeps, "pages" | "gate" | "audit"> {
  readonly consent: ConsentEnd;
  /** Which requested scopes are optional, and the descriptions of custom ones. */
  readonly describe: (flow: FlowRecord, scope: string) => ConsentScope;
  /** The scopes that stand for the claims that the request names. */
  readonly scopesOfClaims: (flow: FlowRecord) => readonly string[];
}

export const clientName = ({ client }: FlowRecord): string => client?.name ?? client?.id ?? "";

/** What the user is asked for: scopes, and claims requested by name as the scopes to which they belong. */
export function scopesOf(
  { describe, scopesOfClaims }: Pick<ConsentDeps, "describe" | "scopesOfClaims">,
  flow: FlowRecord,
): readonly ConsentScope[] {
  const { scopes = [], resources = {} } = flow.missing ?? {};
  const names = new Set([...scopes, ...Object.values(resources).flat(), ...scopesOfClaims(flow)]);
  return [...names].map((scope) => describe(flow, scope));
}
