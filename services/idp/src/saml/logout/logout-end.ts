import { Type } from "typebox";

const text = Type.String();

/** The stored form of an end at a service provider, which receives our response. */
export const ProviderEnd = Type.Object({
  to: Type.Literal("provider"),
  entityId: text,
  inResponseTo: text,
  relayState: Type.Optional(text),
  binding: Type.Enum(["redirect", "post"]),
});
