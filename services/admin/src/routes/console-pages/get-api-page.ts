import type { FastifyReply } from "fastify";
import { type ConsoleVisit, forOperator, sendNotice, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

/** `GET /console/api`: the OpenAPI document of the management interface, to read. */
export function getApiPage(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit) => sendPage(deps, reply, deps.apiPage, operator);
  return forOperator(deps, { route: "consoleApi", handle });
}

/** `GET /console/api/document`: for the page, because a browser's cookie opens no path of the management interface. */
export function getApiDocument(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const { status, body } = await deps.ask(operator, { operation: "managementContractJson" });
    if (status !== 200) return sendNotice(deps, reply, "unavailable", operator);
    return reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" }).send(body);
  };
  return forOperator(deps, { route: "consoleApiDocument", handle });
}
