import { type Static, Type } from "typebox";
import { backchannel, emptyAnswer, errorAnswer, jsonAnswer, pathOf, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { component, text, texts, time } from "../schema.ts";

/** A session at a client, without its token. */
const OidcSession = component("OidcSession", {
  id: text("Identifier of the session. It is derived from the token and grants no access."),
  client_id: Type.String(),
  user_id: text("OIDC subject (`sub`)."),
  username: Type.String(),
  display_name: Type.String(),
  redirect_uri: Type.String(),
  mfa_method: text("Method of the second factor. Empty if none was used."),
  scopes: Type.Array(Type.String()),
  auth_time: Type.String({ format: "date-time" }),
  mfa_completed: Type.Boolean(),
});

/** A browser that is signed in on the pages, whether or not a client uses the session. */
const BrowserSession = component("BrowserSession", {
  id: text("Identifier of the session. It is not the value of its cookie."),
  client_ip: text("Address from which the session was started. Empty if unknown."),
  user_agent: text("User agent of the browser."),
  auth_time: Type.String({ format: "date-time" }),
  last_seen: time("Time of last use, accurate to one minute."),
  mfa_completed: Type.Boolean(),
  client_ids: texts("OIDC clients for which the session was used."),
});

export type OidcSessionListed = Static<typeof OidcSession>;
export type BrowserSessionListed = Static<typeof BrowserSession>;

export const OidcSessionList = component("OidcSessionList", {
  sessions: Type.Array(OidcSession),
  browser_sessions: Type.Optional(Type.Array(BrowserSession)),
});
export type OidcSessionList = Static<typeof OidcSessionList>;

const base = "/api/v1/oidc/sessions";
const family = defineFamily({
  name: "OIDC sessions",
  prefix: base,
  owner: "idp",
  channel: "back",
  anyScope: operatorScopes,
});
const tag = "OIDC sessions";
const refusals = {
  400: errorAnswer("user_id is missing or too long."),
  403: errorAnswer("The token lacks a required scope."),
};
const oidcSessions = operationsWith({ ...backchannel(family, tag), answers: { ...refusals, 500: temporaryFailure } });
const segment = { minLength: 1, maxLength: 1024 };
const user_id = text(
  "Account name, or a `sub` if no account of that name is known. For the tokens of a client itself, the client.",
  { ...segment },
);
const token = text("`id` from the list, of a token or a browser session.", { ...segment });
const ofUser = { of: "account", in: "path", member: "user_id" } as const;
const ended = emptyAnswer("The sessions have ended, or there were none.");
const path = `${base}/{user_id}` as const;

const withoutUser = operationsWith({
  ...backchannel(family, tag),
  concerns: { of: "nobody" },
  undocumented: "the user_id of the documented path is missing, so that the response is always 400",
  answers: refusals,
});

export const oidcSessionOperations = [
  oidcSessions("get", path, "listOidcSessions", {
    concerns: ofUser,
    summary: "List the sessions of a user at clients",
    request: {
      path: Type.Object({ user_id }),
      query: Type.Object({
        browser: Type.Optional(
          Type.Enum(["true", "false"], {
            description: "If true, the response also contains browser_sessions: at most 100, newest first.",
          }),
        ),
      }),
    },
    answers: { 200: jsonAnswer("The sessions, latest sign-in first.", OidcSessionList) },
  }),
  oidcSessions("delete", path, "deleteOidcSessions", {
    concerns: ofUser,
    summary: "End all sessions of a user",
    description: "All access and refresh tokens of the user become invalid.",
    request: pathOf({ user_id }),
    answers: { 204: ended },
  }),
  oidcSessions("delete", `${path}/{token}`, "deleteOidcSession", {
    concerns: ofUser,
    summary: "End one session of a user",
    description:
      "Ends the token and everything issued under the same consent. For the id of a browser session, ends the browser's sign-in and everything that clients obtained through it.",
    request: pathOf({ user_id, token }),
    answers: {
      204: ended,
      400: errorAnswer("user_id or token is missing or too long."),
      403: errorAnswer("The token lacks a required scope, or the session belongs to another user."),
    },
  }),
  withoutUser("get", base, "listOidcSessionsWithoutUser", { summary: "Reject a request without user_id" }),
  withoutUser("delete", base, "deleteOidcSessionsWithoutUser", { summary: "Reject a request without user_id" }),
];
