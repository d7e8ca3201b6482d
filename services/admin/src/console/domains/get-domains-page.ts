import { DomainPage } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { domainsPage } from "./domains-page.ts";

const read = createReadAnswer(DomainPage);
/** Of a domain name; a longer text is none. */
const longest = 255;

/** `GET /console/domains`: those of the configuration; with `name`, one of them, or one that the source has. */
export function getDomainsPage(deps: ConsolePagesDeps) {
  const show = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const [name, cursor] = ["name", "cursor"].map((one) => (queryOf(request, one) ?? "").trim().slice(0, longest));
    const query = { ...(name !== "" && { name }), ...(name === "" && cursor !== "" && { cursor }) };
    const answer = await read(deps.ask, operator, { operation: "showDomains", query });
    if (answer === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showDomains rejected the request" });
    const view = { name: name ?? "", answer, isOfSite: operator.domain === undefined };
    return sendPage(deps, reply, domainsPage(view), operator);
  };
  return forOperator(deps, { route: "consoleDomains", handle: show });
}
