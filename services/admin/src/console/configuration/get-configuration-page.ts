import { ConfigLoad, SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../deps.ts";
import { type ConfigurationView, configurationPage } from "./configuration-page.ts";

const readSystem = createReadAnswer(SystemReport);
const check = compileCheck(ConfigLoad);

/** `GET /console/configuration`: without secrets, as the operation returns it. */
export function getConfigurationPage(deps: ConsolePagesDeps) {
  const { ask } = deps;
  const valuesFor = async (operator: ConsoleVisit["operator"]): Promise<ConfigurationView["values"]> => {
    const { status, body } = await ask(operator, { operation: "loadConfiguration" });
    if (status === 404) return undefined;
    if (status === 200 && check.accepts(body)) return JSON.parse(body.result);
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `loadConfiguration returned ${status}` });
  };
  const handle = async ({ reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const [values, system] = await Promise.all([
      valuesFor(operator),
      readSystem(ask, operator, { operation: "showSystem" }),
    ]);
    if (system === undefined) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showSystem rejected the request" });
    return sendPage(deps, reply, configurationPage({ values, system }), operator);
  };
  return forOperator(deps, { route: "consoleConfiguration", handle });
}
