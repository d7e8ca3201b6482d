import { type TSchema, Type } from "typebox";
import { text } from "../schema.ts";

/** The envelope of every administration response. */
export const Envelope = <Result extends TSchema>(object: string, operation: string, result: Result) =>
  Type.Object({
    session: text("GUID of the request."),
    object: Type.Literal(object),
    operation: Type.Literal(operation),
    result,
  });
