import { type TSchema, Type } from "typebox";

/** Contract, "Administration envelope": what every administration response is wrapped in. */
export const Envelope = <Result extends TSchema>(object: string, operation: string, result: Result) =>
  Type.Object({
    session: Type.String({ description: "request GUID" }),
    object: Type.Literal(object),
    operation: Type.Literal(operation),
    result,
  });
