import { type OperationSecurity, operations, type RouteFamily, routeFamilies } from "@postern/shared/contracts";
import type { AssertionAudience } from "@postern/shared/platform/http";

/**
 * Whether the gateway authenticates the caller before it forwards a request, or leaves that to the service. `offered`: it checks
 * credentials that are sent, and the service decides whether they are required.
 */
export type CallerRule = "backchannel" | "service" | "offered";

/**
 * A path that the HTTP client would rewrite, so that the service would see a different path from the one that was checked.
 */
export const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

/** A family of paths that another service serves. */
export interface ServicePaths extends Pick<RouteFamily, "prefix" | "channel" | "checksCredentials" | "isPage"> {
  readonly service: AssertionAudience;
  readonly caller: CallerRule;
}

function ruleOf(security: OperationSecurity): CallerRule {
  if (security === "backchannel") return "backchannel";
  return security === "hook" ? "offered" : "service";
}

/** @throws Error if the operations of the family disagree */
function callerRuleOf(family: RouteFamily): CallerRule {
  const own = operations.filter((operation) => operation.family === family);
  const [rule = "backchannel", ...others] = new Set(own.map(({ security }) => ruleOf(security)));
  if (others.length > 0) throw new Error(`operations below ${family.prefix} check their callers in different ways`);
  return rule;
}

/** The patterns of a row: the prefix and everything below it. */
export function urlsOf({ prefix, isPage }: ServicePaths): readonly string[] {
  return isPage === true ? [prefix] : [prefix, `${prefix}/*`];
}

/** The service behind each path (ADR 0010). A path without a row is 404. */
export const servicePaths: readonly ServicePaths[] = routeFamilies.flatMap((family) => {
  const { owner: service } = family;
  return service === "gateway" ? [] : [{ ...family, service, caller: callerRuleOf(family) }];
});

export function forwardedUrls(): readonly string[] {
  return servicePaths.flatMap(urlsOf);
}
