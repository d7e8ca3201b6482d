import { DomainList, DomainReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { canonicalDomain } from "@postern/shared/platform/net";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { domainsPage } from "./domains-page.ts";

const readList = createReadAnswer(DomainList);
const readReport = createReadAnswer(DomainReport);
/** Of a domain name; a longer text is none. */
const longest = 255;

/** `GET /console/domains`: those of the configuration; with `name`, one of them, or one that the source has. */
export function getDomainsPage(deps: ConsolePagesDeps) {
  const reportOn = async (operator: Operator, typed: string): Promise<DomainReport | undefined> => {
    const name = canonicalDomain(typed);
    return name === undefined ? undefined : readReport(deps.ask, operator, { operation: "showDomain", path: { name } });
  };
  const list = async (operator: Operator, cursor: string): Promise<DomainList> => {
    const query = cursor === "" ? {} : { cursor };
    const answer = await readList(deps.ask, operator, { operation: "listDomains", query });
    if (answer === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "listDomains rejected the request" });
    return answer;
  };
  const show = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const [name = "", cursor = ""] = ["name", "cursor"].map((one) =>
      (queryOf(request, one) ?? "").trim().slice(0, longest),
    );
    const isOfSite = operator.domain === undefined;
    const found =
      name === "" ? { list: await list(operator, cursor) } : { name, report: await reportOn(operator, name) };
    return sendPage(deps, reply, domainsPage({ ...found, isOfSite }), operator);
  };
  return forOperator(deps, { route: "consoleDomains", handle: show });
}
