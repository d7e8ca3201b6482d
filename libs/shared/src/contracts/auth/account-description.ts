import { type Static, Type } from "typebox";
import { defineMethod } from "../define.ts";

const optional = (description: string) => Type.Optional(Type.String({ description }));

/** What one backend says about a name. No secret is in it: fields and attributes with secrets are left out. */
export const BackendDescription = Type.Object(
  {
    name: Type.String({ description: "Entry of auth.backends.order." }),
    outcome: Type.String({
      description:
        "found, disabled, unknown_user, not_served (no search for the protocol) or unavailable (`code` says why).",
    }),
    code: optional("Error code of an unavailable backend."),
    account: optional("Name of the account."),
    account_field: optional("Field that holds the name."),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description:
          "Attributes that the configuration releases: at most 50, with at most 10 values of 256 characters.",
      }),
    ),
    groups: Type.Optional(Type.Array(Type.String(), { description: "At most 50. Absent if groups are not searched." })),
    stores: Type.Array(Type.String(), {
      description: "What it stores for the account: totp, recovery_codes, webauthn, app_passwords.",
    }),
  },
  { title: "BackendDescription" },
);
export type BackendDescription = Static<typeof BackendDescription>;

/** Asks each backend about a name, without a password. A backend that does not answer is `unavailable`. */
export const describeAccount = defineMethod({
  service: "auth-engine",
  name: "describe-account",
  major: 1,
  repeatable: true,
  request: Type.Object({
    username: Type.String({ minLength: 1, maxLength: 1024 }),
    protocol: Type.String({ minLength: 1, maxLength: 64, description: "Selects the searches of the backends." }),
  }),
  reply: Type.Object({ backends: Type.Array(BackendDescription, { description: "In their order." }) }),
});
