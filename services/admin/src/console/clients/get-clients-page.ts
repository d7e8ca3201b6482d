import { ApplicationList, RegisteredClientList } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../deps.ts";
import { clientsPage } from "./clients-page.ts";

const readApplications = createReadAnswer(ApplicationList);
const readRegistered = createReadAnswer(RegisteredClientList);
const positionForm = /^\d{1,7}$/u;

/** `GET /console/clients`; with `position`, another page of the clients that registered themselves. */
export function getClientsPage(deps: ConsolePagesDeps) {
  const { ask, clock } = deps;
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const position = queryOf(request, "position") ?? "0";
    if (!positionForm.test(position)) return sendNotice(deps, reply, "not_found", operator);
    const [applications, registered] = await Promise.all([
      readApplications(ask, operator, { operation: "listApplications" }),
      readRegistered(ask, operator, { operation: "listRegisteredClients", query: { position } }),
    ]);
    if (applications === undefined) return sendNotice(deps, reply, "unavailable", operator);
    const view = { applications, registered, position: Number(position), now: new Date(clock.now()) };
    return sendPage(deps, reply, clientsPage(view), operator);
  };
  return forOperator(deps, { route: "consoleClients", handle });
}
