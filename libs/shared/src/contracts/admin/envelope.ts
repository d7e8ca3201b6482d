import { type TSchema, Type } from "typebox";

/** The envelope of every administration response. */
export const Envelope = <Result extends TSchema>(object: string, operation: string, result: Result) =>
  Type.Object({
    session: Type.String({ description: "GUID of the request." }),
    object: Type.Literal(object),
    operation: Type.Literal(operation),
    result,
  });
