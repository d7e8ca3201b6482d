import { type TSchema, Type } from "typebox";
import type { OperationAnswer } from "./define-operation.ts";

/** The body of every error. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: "Error message, for people to read." }) },
  { title: "Error", description: "An error." },
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

export const temporaryFailure = errorAnswer("Temporary failure.");
