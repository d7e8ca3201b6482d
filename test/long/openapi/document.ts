import { isTree, type Tree } from "../../support/stack-config.ts";

const methods = new Set(["get", "put", "post", "delete", "patch"]);

/** Adds 431, which the document's description documents for every operation. */
function withCommonResponses(operation: unknown): unknown {
  if (!isTree(operation) || !isTree(operation["responses"])) throw new Error("an operation has no responses");
  const responses = { 431: { description: "as info.description says" }, ...operation["responses"] };
  return { ...operation, responses };
}

/**
 * Allows any order of a tuple's members, because Schemathesis 4.32 turns `prefixItems` into `items` of draft 07 and then
 * rejects the schema as invalid. The tests of each operation verify the order.
 */
function withoutTuple({ prefixItems, ...rest }: Tree): Tree {
  return Array.isArray(prefixItems) ? { ...rest, items: { anyOf: prefixItems } } : rest;
}

function rewritten(value: unknown, csrfToken: string): unknown {
  if (Array.isArray(value)) return value.map((member) => rewritten(member, csrfToken));
  if (!isTree(value)) return value;
  const entries = Object.entries(withoutTuple(value)).map(([name, member]): readonly [string, unknown] => {
    // Schemathesis compares each event with the schema, which in OpenAPI 3.1 describes the whole text.
    if (name === "text/event-stream") return [name, {}];
    // With any other token, every form would be rejected.
    if (name === "csrf_token") return [name, { type: "string", const: csrfToken }];
    const inner = rewritten(member, csrfToken);
    return [name, methods.has(name) && isTree(inner) && "operationId" in inner ? withCommonResponses(inner) : inner];
  });
  return Object.fromEntries(entries);
}

/** The document in a form that Schemathesis understands, with the CSRF token of the browser session. */
export function readyForSchemathesis(document: unknown, csrfToken: string): string {
  return JSON.stringify(rewritten(document, csrfToken));
}
