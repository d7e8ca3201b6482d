import { type Static, Type } from "typebox";
import { type BusMethod, engineMethod, methodAt } from "../define.ts";
import { component, optional, optionalText, text, texts, textsByName } from "../schema.ts";
import { AuthDecision } from "./decision.ts";
import { AuthRequest, hops, ofCaller } from "./request.ts";

const maxAccountsPerPage = 5000;

const instance = text("Identifier of one engine process.", { pattern: "^[0-9a-f]{16}$" });
const cursor = text("Opaque start of the next page.", { minLength: 1, maxLength: 16_384 });

/**
 * `mode=list-accounts`: one page of the account names in the backends of a protocol; without a cursor, the
 * first one. `limit` 0 with a cursor ends a listing early, so that it is not kept open for a reader that has disconnected.
 */
export const ListAccountsRequest = Type.Object({
  session: text("GUID of the request, X-Service-Session.", { minLength: 1, maxLength: 64 }),
  protocol: Type.String({ minLength: 1 }),
  username: Type.Optional(Type.String()),
  clientIp: Type.Optional(Type.String()),
  clientPort: Type.Optional(Type.String()),
  localIp: Type.Optional(Type.String()),
  localPort: Type.Optional(Type.String()),
  hops: Type.Optional(hops),
  callerDomains: ofCaller.callerDomains,
  cursor: Type.Optional(cursor),
  limit: Type.Integer({ minimum: 0, maximum: maxAccountsPerPage }),
});
export type ListAccountsRequest = Static<typeof ListAccountsRequest>;

/**
 * No cursor: that was the last page. A page may be empty and not the last one. With `instance`, only that engine has
 * the next page, and `listAccountsAt` requests it from there; otherwise any engine has it.
 */
export const ListAccountsReply = Type.Object({
  accounts: Type.Array(Type.String()),
  cursor: Type.Optional(cursor),
  instance: Type.Optional(instance),
});
export type ListAccountsReply = Static<typeof ListAccountsReply>;

export type ListAccountsMethod = BusMethod<typeof ListAccountsRequest, typeof ListAccountsReply>;

export const listAccounts: ListAccountsMethod = engineMethod("list-accounts", ListAccountsRequest, ListAccountsReply, {
  repeatable: true,
});

/** `listAccounts` of one engine only, for listings that depend on a connection of that engine. */
export function listAccountsAt(engine: string): ListAccountsMethod {
  return methodAt(listAccounts, engine);
}

/** What one backend says about a name. No secret is in it: fields and attributes with secrets are left out. */
export const BackendDescription = component("BackendDescription", {
  name: text("Entry of auth.backends.order."),
  outcome: text(
    "found, disabled, unknown_user, not_served (no search for the protocol) or unavailable (`code` says why).",
  ),
  code: optionalText("Error code of an unavailable backend."),
  account: optionalText("Name of the account."),
  account_field: optionalText("Field that holds the name."),
  attributes: optional(
    textsByName("Attributes that the configuration releases: at most 50, with at most 10 values of 256 characters."),
  ),
  groups: optional(texts("At most 50. Absent if groups are not searched.")),
  stores: texts("What it stores for the account: totp, recovery_codes, webauthn, app_passwords."),
});
export type BackendDescription = Static<typeof BackendDescription>;

/** Asks each backend about a name, without a password. A backend that does not answer is `unavailable`. */
export const describeAccount = engineMethod(
  "describe-account",
  Type.Object({
    username: Type.String({ minLength: 1, maxLength: 1024 }),
    protocol: text("Selects the searches of the backends.", { minLength: 1, maxLength: 64 }),
  }),
  Type.Object({
    backends: Type.Array(BackendDescription, { description: "In their order." }),
    username: optionalText(
      "The name in the spelling of its domain, under which sign-ins are counted. Absent: as in the request.",
    ),
  }),
  { repeatable: true },
);

export const authenticate = engineMethod("authenticate", AuthRequest, AuthDecision, {
  // Failures are counted once for each request id, and no one-time value is used up.
  repeatable: true,
});
