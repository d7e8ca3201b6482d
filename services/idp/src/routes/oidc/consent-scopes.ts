import type { ConsentEnd } from "../../flow/flow-port.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import type { ConsentScope } from "../../pages/templates/consent.ts";
import type { LoginDeps } from "../login/deps.ts";

export interface ConsentDeps extends Pick<LoginDeps, "pages" | "gate" | "audit"> {
  readonly consent: ConsentEnd;
  /** Which requested scopes are optional, and the descriptions of custom ones. */
  readonly describe: (flow: FlowRecord, scope: string) => ConsentScope;
}

export const clientName = ({ client }: FlowRecord): string => client?.name ?? client?.id ?? "";

export function scopesOf({ describe }: ConsentDeps, flow: FlowRecord): readonly ConsentScope[] {
  const { scopes = [], resources = {} } = flow.missing ?? {};
  return [...new Set([...scopes, ...Object.values(resources).flat()])].map((scope) => describe(flow, scope));
}
