import { forOperator, sendNotice, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

/** `GET /console/api`: the OpenAPI document of the management interface, to read. */
export function getApiPage(deps: ConsolePagesDeps) {
  return forOperator(deps, async ({ reply, operator }) => sendPage(deps, reply, deps.apiPage, operator));
}

/** `GET /console/api/document`: for the page, because a browser's cookie opens no path of the management interface. */
export function getApiDocument(deps: ConsolePagesDeps) {
  return forOperator(deps, async ({ reply, operator }) => {
    const { status, body } = await deps.ask(operator, { operation: "managementContractJson" });
    if (status !== 200) return sendNotice(deps, reply, "unavailable", operator);
    return reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" }).send(body);
  });
}
