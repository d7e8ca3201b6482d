import { isOpenToLimited } from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import { type BasicCaller, type basicCallers, mayDo } from "./basic.ts";
import type { BearerCheck, BearerFinding } from "./bearer.ts";
import type { TokenDomains } from "./caller-domains.ts";
import { opens, type RouteDemand } from "./demands.ts";
import type { CallerAuthOutcome } from "./outcome.ts";

export interface CallerCheckSettings {
  /** Undefined if no caller is configured. */
  readonly basic: ReturnType<typeof basicCallers>;
  /** Absent if `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt` are off. */
  readonly bearer?: BearerCheck | undefined;
  /** What the owner of a token may reach. Absent: all may reach all domains. */
  readonly tokenDomains?: TokenDomains | undefined;
  /** Developer mode: if no authentication is configured, every caller is admitted. */
  readonly openWhenUnconfigured: boolean;
}

/** The caller that credentials belong to, or why they belong to none. Which operations it may use is decided by `judge`. */
export type CallerFinding =
  | Exclude<CallerAuthOutcome, "ok_basic">
  | { readonly outcome: "ok_basic"; readonly caller: BasicCaller }
  | BearerFinding;

const tokenScheme = /^(?:bearer|dpop)(?: |$)/i;

/** Whether the credentials are a token, whether or not a proof of possession comes with it. */
export function isToken(authorization: string): boolean {
  return tokenScheme.test(authorization);
}

function findBasic(find: CallerCheckSettings["basic"], authorization: string, address: () => string): CallerFinding {
  const caller = find?.(authorization);
  if (caller === undefined) return "bad_basic";
  if (caller.networks !== undefined && !caller.networks.has(address())) return "foreign_network";
  return { outcome: "ok_basic", caller };
}

/** The check of tokens, which adds what their owners may reach. */
function withDomains({ bearer, tokenDomains }: CallerCheckSettings): BearerCheck | undefined {
  if (bearer === undefined || tokenDomains === undefined) return bearer;
  const limited = (finding: BearerFinding): BearerFinding => {
    if (typeof finding === "string") return finding;
    const domains = tokenDomains(finding.token);
    if (domains === "unknown") return "bad_token";
    return domains === undefined ? finding : { ...finding, domains };
  };
  return (authorization) => {
    const found = bearer(authorization);
    return found instanceof Promise ? found.then(limited) : limited(found);
  };
}

/** What an authenticated caller may reach, and means by a name without a domain; undefined for all domains, and that of the site. */
export function domainsOf(finding: CallerFinding): CallerDomains | undefined {
  if (typeof finding === "string") return undefined;
  return finding.outcome === "ok_basic" ? finding.caller.domains : finding.domains;
}

/** A promise only if the state of a token has to be read. `address` is called for callers with a network restriction. */
export type CallerCheck = (
  authorization: string | undefined,
  address: () => string,
) => CallerFinding | Promise<CallerFinding>;

/**
 * Authenticates API callers; the scheme selects the method. There is no lockout, and the answer reveals neither which part of the
 * credentials was wrong nor what is wrong with a token.
 */
export function createCallerCheck(settings: CallerCheckSettings): CallerCheck {
  const { basic, openWhenUnconfigured } = settings;
  const bearer = withDomains(settings);
  if (basic === undefined && bearer === undefined) return () => (openWhenUnconfigured ? "ok_open" : "not_configured");
  return (authorization, address) => {
    if (authorization === undefined || authorization === "") return "missing";
    if (isToken(authorization)) return bearer === undefined ? "bad_token" : bearer(authorization);
    return findBasic(basic, authorization, address);
  };
}

/** Whether the caller may do what it asks for. */
export function judge<Request>(
  finding: CallerFinding,
  request: Request,
  { needOf, actionOf }: RouteDemand<Request>,
): CallerAuthOutcome {
  if (typeof finding === "string") return finding;
  const isLimited = domainsOf(finding)?.domains !== undefined;
  if (isLimited && !isOpenToLimited(actionOf(request))) return "operation_denied";
  if (finding.outcome === "ok_bearer") return opens(finding.token, needOf(request)) ? "ok_bearer" : "missing_scope";
  const { caller } = finding;
  return caller.actions === undefined || mayDo(caller, actionOf(request)) ? "ok_basic" : "operation_denied";
}

/**
 * Resolves with the finding, `deadline_exceeded` at the timeout, or the outcome with which the caller leaves.
 *
 * @param onLeave listens for the caller to leave; returns a function that ends that
 */
export async function settledFinding(
  found: Promise<CallerFinding>,
  timeoutMs: number,
  onLeave: (leave: (outcome: "canceled" | "deadline_exceeded") => void) => () => void,
): Promise<CallerFinding> {
  const { promise, resolve } = Promise.withResolvers<CallerFinding>();
  const timer = setTimeout(() => resolve("deadline_exceeded"), timeoutMs);
  const unlisten = onLeave(resolve);
  found.then(resolve, () => resolve("unavailable"));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}
