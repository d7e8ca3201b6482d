import { type HttpMethod, type Operation, type Owner, operations } from "../../contracts/index.ts";

/** Where Fastify serves an operation; `bodyLimit` if it has its own limit. */
export interface OperationRoute {
  readonly method: Uppercase<HttpMethod>;
  readonly url: string;
  readonly bodyLimit?: number;
}

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
export function routeOf(operation: Operation, names = defaultNames): OperationRoute {
  const { method, maxBodyBytes } = operation;
  const place = { method: methods[method], url: urlOf(operation, names) };
  return maxBodyBytes === undefined ? place : { ...place, bodyLimit: maxBodyBytes };
}

/** The part of a Fastify instance that reports every route. */
interface RoutedApp {
  addHook(
    name: "onRoute",
    hook: (route: { readonly method: string | string[]; readonly url: string }) => void,
  ): unknown;
}

/** HEAD is GET without its body (RFC 9110 §9.3.2); browsers send OPTIONS before a request to another origin (CORS). */
const implied: ReadonlySet<string> = new Set(["HEAD", "OPTIONS"]);

export interface OnlyOperationsOptions {
  readonly names?: SiteNames;
  /** Patterns of paths that another service answers. */
  readonly forwarded?: ReadonlySet<string>;
}

/**
 * A service serves its operations and no other path. Before the routes are registered.
 * @throws Error at the registration of a route that is not in the operation table
 */
export function onlyOperations(app: RoutedApp, owner: Owner, options: OnlyOperationsOptions = {}): void {
  const { names = defaultNames, forwarded } = options;
  const served = operations.filter(({ family }) => family.owner === owner);
  const own = served.map((operation) => routeOf(operation, names));
  const places = new Set(own.map(({ method, url }) => `${method} ${url}`));
  const urls = new Set(own.map(({ url }) => url));
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) {
      if (forwarded?.has(url) === true) continue;
      if (implied.has(one) ? urls.has(url) : places.has(`${one} ${url}`)) continue;
      throw new Error(`${one} ${url} is not in the operation table (libs/shared/src/contracts/operations.ts)`);
    }
  });
}
