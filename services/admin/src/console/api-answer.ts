import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { Static, TSchema } from "typebox";
import type { Operator } from "../operators/operator.ts";
import type { ApiCall, AskApi, AskingOperator } from "../operators/operator-api.ts";
import { checkRole } from "./console-visit.ts";

/**
 * Reads the answer to a call. Undefined if the operation rejected it (4xx).
 *
 * @throws AppError UPSTREAM_UNAVAILABLE for any other answer
 */
export function createReadAnswer<Schema extends TSchema>(schema: Schema) {
  const check = compileCheck(schema);
  return async (ask: AskApi, operator: AskingOperator, call: ApiCall): Promise<Static<Schema> | undefined> => {
    const { status, body } = await ask(operator, call);
    if (status >= 400 && status < 500) return undefined;
    if (status === 200 && check.accepts(body)) return body;
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${call.operation} returned ${status}` });
  };
}

/** The same for an operation that does not reject what the page sends: a rejection is an error too. */
export function createRequireAnswer<Schema extends TSchema>(schema: Schema) {
  const read = createReadAnswer(schema);
  return async (ask: AskApi, operator: AskingOperator, call: ApiCall): Promise<Static<Schema>> => {
    const answer = await read(ask, operator, call);
    if (answer !== undefined) return answer;
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${call.operation} rejected the request` });
  };
}

/** Carries out an operation that answers 204. While no engine tells the role, nothing is changed. @throws AppError UPSTREAM_UNAVAILABLE */
export async function carryOut(ask: AskApi, operator: Operator, call: ApiCall): Promise<void> {
  checkRole(operator);
  const { status } = await ask(operator, call);
  if (status !== 204) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${call.operation} returned ${status}` });
}
