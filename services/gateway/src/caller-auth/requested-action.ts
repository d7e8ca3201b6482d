import { operations } from "@postern/shared/contracts";
import { createMethodTable, routeOf } from "@postern/shared/platform/http";

/** The operation that a request asks for, as the lists of callers name it; undefined if no operation serves it. */
export type ActionOf = (method: string, url: string) => string | undefined;

/**
 * The operations that other services serve, found by the router that those services use: any spelling of a path that the owner accepts means
 * the same operation here.
 */
export function createForwardedActionOf(): ActionOf {
  const table = createMethodTable();
  const actions = new Map<string, string>();
  for (const operation of operations) {
    const { family, security, operationId } = operation;
    if (family.owner === "gateway" || !(security === "backchannel" || security === "hook")) continue;
    const { method, url } = routeOf(operation);
    table.add(method, url);
    actions.set(`${method} ${url}`, operationId);
  }
  return (method, url) => {
    const pattern = table.find(url)?.pattern;
    return pattern === undefined ? undefined : actions.get(`${method === "HEAD" ? "GET" : method} ${pattern}`);
  };
}
