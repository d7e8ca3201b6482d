import type { FastifyInstance } from "fastify";
import findMyWay from "find-my-way";

export type MethodTable = ReturnType<typeof createMethodTable>;

/**
 * Longer than any request line that a listener accepts, so that the operations' schemas limit parameters and the router does not.
 */
export const maxParamLength = 65_536;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

function parametersIn(pattern: string): number {
  return pattern.match(/[:*]/gu)?.length ?? 0;
}

/**
 * No operation has this method. Fastify would answer 400 in place of 405 or 404, because it looks for the body's type before it looks for a
 * route.
 */
export function ignoreQueryMethod(app: FastifyInstance): void {
  app.addHttpMethod("QUERY", { hasBody: false, overrideExisting: true });
}

/** Which methods a path supports, to answer requests with another method (RFC 9110 §15.5.6). Uses the same router as Fastify. */
export function createMethodTable() {
  const router = findMyWay({ maxParamLength });
  /** A service starts with hundreds of routes and needs the table only for requests that none of them answers. */
  let added: (() => void)[] = [];
  return {
    add: (allowed: string | readonly string[], pattern: string): void => {
      added.push(() => {
        for (const method of methods) {
          if (![allowed].flat().includes(method) || router.hasRoute(method, pattern)) continue;
          router.on(method, pattern, () => undefined, { pattern });
        }
      });
    },
    /** The route pattern that matches a path, and its methods; undefined if none does. */
    find: (path: string): { readonly pattern: string; readonly methods: readonly string[] } | undefined => {
      for (const add of added) add();
      added = [];
      const found = methods.flatMap((method) => {
        const store: unknown = router.find(method, path)?.store;
        return typeof store === "object" && store !== null && "pattern" in store
          ? [{ method, pattern: String(store.pattern) }]
          : [];
      });
      // `/login/mfa` may also fit `/login/:languageTag`, whose methods it does not serve.
      const [pattern] = found.map((route) => route.pattern).toSorted((a, b) => parametersIn(a) - parametersIn(b));
      if (pattern === undefined) return undefined;
      return { pattern, methods: found.flatMap((route) => (route.pattern === pattern ? [route.method] : [])) };
    },
  };
}
