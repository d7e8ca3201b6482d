import { type Static, Type } from "typebox";
import { defineMethod } from "../define.ts";
import { component, optionalText, text, texts } from "../schema.ts";

/** What one backend says about a name. No secret is in it: fields and attributes with secrets are left out. */
export const BackendDescription = component("BackendDescription", {
  name: text("Entry of auth.backends.order."),
  outcome: text(
    "found, disabled, unknown_user, not_served (no search for the protocol) or unavailable (`code` says why).",
  ),
  code: optionalText("Error code of an unavailable backend."),
  account: optionalText("Name of the account."),
  account_field: optionalText("Field that holds the name."),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: "Attributes that the configuration releases: at most 50, with at most 10 values of 256 characters.",
    }),
  ),
  groups: Type.Optional(texts("At most 50. Absent if groups are not searched.")),
  stores: texts("What it stores for the account: totp, recovery_codes, webauthn, app_passwords."),
});
export type BackendDescription = Static<typeof BackendDescription>;

/** Asks each backend about a name, without a password. A backend that does not answer is `unavailable`. */
export const describeAccount = defineMethod({
  service: "auth-engine",
  name: "describe-account",
  major: 1,
  repeatable: true,
  request: Type.Object({
    username: Type.String({ minLength: 1, maxLength: 1024 }),
    protocol: text("Selects the searches of the backends.", { minLength: 1, maxLength: 64 }),
  }),
  reply: Type.Object({ backends: Type.Array(BackendDescription, { description: "In their order." }) }),
});
