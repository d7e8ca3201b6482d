import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { Static, TSchema } from "typebox";
import type { ApiCall, AskApi, AskingOperator } from "../operators/operator-api.ts";

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
