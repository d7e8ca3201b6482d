import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { apiOperationPage, apiPage } from "./api-page.ts";
import { documentCheck, operationsOf } from "./document-reader.ts";

const longestFilter = 100;

/** `GET /console/api`: the OpenAPI document of the management interface, to read; with `operation`, one of its operations. */
export function getApiPage(deps: ConsolePagesDeps) {
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const { status, body } = await deps.ask(operator, { operation: "managementContractJson" });
    if (status !== 200 || !documentCheck.accepts(body))
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `managementContractJson returned ${status}` });
    const id = queryOf(request, "operation");
    const words = queryOf(request, "words")?.trim().slice(0, longestFilter) ?? "";
    if (id === undefined) return sendPage(deps, reply, apiPage(body, words), operator);
    const found = operationsOf(body).find(({ operationId }) => operationId === id);
    return found === undefined
      ? sendNotice(deps, reply, "not_found", operator)
      : sendPage(deps, reply, apiOperationPage(body, found), operator);
  };
  return forOperator(deps, { route: "consoleApi", handle });
}

/** `GET /console/api/document`: for programs of the operator, because a browser's cookie opens no path of the management interface. */
export function getApiDocument(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const { status, body } = await deps.ask(operator, { operation: "managementContractJson" });
    if (status !== 200) return sendNotice(deps, reply, "unavailable", operator);
    return reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" }).send(body);
  };
  return forOperator(deps, { route: "consoleApiDocument", handle });
}
