import { type TSchema, Type } from "typebox";
import type { OperationAnswer } from "./define-operation.ts";

/** Contract, "Errors", rule 2: what every failure with a body says. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: "a sentence for people" }) },
  { title: "Error", description: "A failure, in words." },
);

export function jsonAnswer(description: string, schema: TSchema): OperationAnswer {
  return { description, content: { "application/json": schema } };
}

export function emptyAnswer(description: string): OperationAnswer {
  return { description };
}

export function errorAnswer(description: string): OperationAnswer {
  return jsonAnswer(description, ErrorBody);
}

export const temporaryFailure = errorAnswer("Nobody could decide: a temporary failure.");
