import type { FastifyInstance } from "fastify";
import { type Operation, type Owner, operations } from "../../contracts/index.ts";

const methods = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** The site's names on the wire (ADR 0021). */
export interface SiteNames {
  /** `runtime.naming.identifier` */
  readonly identifier: string;
  /** `runtime.naming.proxy_segment` */
  readonly proxySegment: string;
  /** `runtime.naming.sasl_segment` */
  readonly saslSegment: string;
}

export const defaultNames: SiteNames = { identifier: "service", proxySegment: "proxy", saslSegment: "sasl" };

/** The path of an operation with this site's name as last segment, where a site may name it. */
export function sitePath({ path, namedBy }: Operation, { proxySegment, saslSegment }: SiteNames): string {
  if (namedBy === undefined) return path;
  const segment = namedBy === "proxy_segment" ? proxySegment : saslSegment;
  return `${path.slice(0, path.lastIndexOf("/"))}/${segment}`;
}

/** A path template as Fastify writes it: `/jobs/{jobId}` is `/jobs/:jobId`. */
function urlOf(operation: Operation, names: SiteNames): string {
  const { takesRest } = operation;
  const path = sitePath(operation, names);
  const url = takesRest === true ? path.replace(/\{\w+\}$/u, "*") : path;
  return url.replaceAll(/\{(\w+)\}/gu, ":$1");
}

/** The options of a route that come from its operation: `app.route({ ...routeOf(operation("readJob")), handler })`. */
export function routeOf(operation: Operation, names = defaultNames) {
  const { method, maxBodyBytes: bodyLimit } = operation;
  return { method: methods[method], url: urlOf(operation, names), ...(bodyLimit !== undefined && { bodyLimit }) };
}

/** HEAD is GET without its body (RFC 9110 §9.3.2); browsers send OPTIONS before a request to another origin (CORS). */
const implied: ReadonlySet<string> = new Set(["HEAD", "OPTIONS"]);

/**
 * A service serves its operations and no other path. Before the routes are registered.
 *
 * @param forwarded patterns of paths that another service answers
 * @throws Error at the registration of a route that is not in the operation table
 */
export function onlyOperations(
  app: Pick<FastifyInstance, "addHook">,
  owner: Owner,
  names = defaultNames,
  forwarded: ReadonlySet<string> = new Set(),
): void {
  const served = operations.filter(({ family }) => family.owner === owner);
  const own = served.map((operation) => routeOf(operation, names));
  const places = new Set(own.map(({ method, url }) => `${method} ${url}`));
  const urls = new Set(own.map(({ url }) => url));
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) {
      if (forwarded.has(url)) continue;
      if (implied.has(one) ? urls.has(url) : places.has(`${one} ${url}`)) continue;
      throw new Error(`${one} ${url} is not in the operation table (libs/shared/src/contracts/operations.ts)`);
    }
  });
}
