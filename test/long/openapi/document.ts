import { isTree, type Tree } from "../../support/stack-config.ts";

const methods = new Set(["get", "put", "post", "delete", "patch"]);

/** 431, which the document's description promises for every operation. */
function withPromiseForAll(operation: unknown): unknown {
  if (!isTree(operation) || !isTree(operation["responses"])) throw new Error("an operation without responses");
  const promised = { 431: { description: "as info.description says" }, ...operation["responses"] };
  return { ...operation, responses: promised };
}

/**
 * Any order of a tuple's members: Schemathesis 4.32 turns `prefixItems` into `items` of draft 07, and then finds the
 * schema of an answer invalid. The tests of each operation judge the order.
 */
function withoutTuple({ prefixItems, ...rest }: Tree): Tree {
  return Array.isArray(prefixItems) ? { ...rest, items: { anyOf: prefixItems } } : rest;
}

function rewritten(value: unknown, csrfToken: string): unknown {
  if (Array.isArray(value)) return value.map((member) => rewritten(member, csrfToken));
  if (!isTree(value)) return value;
  const entries = Object.entries(withoutTuple(value)).map(([name, member]): readonly [string, unknown] => {
    // Else no form would come further than its token.
    if (name === "csrf_token") return [name, { type: "string", const: csrfToken }];
    const inner = rewritten(member, csrfToken);
    return [name, methods.has(name) && isTree(inner) && "operationId" in inner ? withPromiseForAll(inner) : inner];
  });
  return Object.fromEntries(entries);
}

/** The document as Schemathesis understands it, with the token of the browser whose session is used. */
export function readyForSchemathesis(document: unknown, csrfToken: string): string {
  return JSON.stringify(rewritten(document, csrfToken));
}
