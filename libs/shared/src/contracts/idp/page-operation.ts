import { type TSchema, Type } from "typebox";
import {
  type CommonMembers,
  defineOperation,
  type HttpMethod,
  type Operation,
  type OperationAnswer,
  operationsWith,
  type Row,
} from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { text } from "../schema.ts";

const pages = { owner: "idp", channel: "front" } as const;

/** Families of browsers and clients, whom the identity provider identifies itself. */
export const rootFamily = defineFamily({ ...pages, name: "start page", prefix: "/", isPage: true });
export const wellKnownFamily = defineFamily({ ...pages, name: "well-known documents", prefix: "/.well-known" });
export const loginFamily = defineFamily({ ...pages, name: "sign-in", prefix: "/login" });
export const logoutFamily = defineFamily({ ...pages, name: "logout", prefix: "/logout" });
export const loggedOutFamily = defineFamily({ ...pages, name: "end of a session", prefix: "/logged_out" });
export const oidcFamily = defineFamily({ ...pages, name: "OIDC", prefix: "/oidc" });
export const samlFamily = defineFamily({ ...pages, name: "SAML2", prefix: "/saml" });
export const selfServiceFamily = defineFamily({ ...pages, name: "self-service", prefix: "/mfa" });
export const staticFamily = defineFamily({ ...pages, name: "assets of the pages", prefix: "/static" });
/** Mail clients know these paths. */
export const mailFamily = defineFamily({ ...pages, name: "settings of mail clients", prefix: "/mail" });
export const autodiscoverFamily = defineFamily({ ...pages, name: "Autodiscover", prefix: "/autodiscover" });

const html = { "text/html": Type.String() };

export const page = (description: string): OperationAnswer => ({ description, content: html });
export const sentTo = (description: string): OperationAnswer => ({ description, headers: { Location: Type.String() } });

/** A redirect with a line of HTML for people. */
export const noted = (description: string): OperationAnswer => ({
  ...sentTo(description),
  content: html,
  bodyOptional: true,
});

export const form = (schema: TSchema) => ({ body: { "application/x-www-form-urlencoded": schema } });

export const csrfToken = text("CSRF token of the form.");
export const languageTag = text("Language tag (BCP 47), such as `de`.");

const expired = page("The request is invalid, or its sign-in has expired or belongs to another browser.");
export const unknownLanguage = page("The path segment is not a language tag.");

/** The operation, and the same with a language in the path: `/login/{languageTag}`. */
export function withLanguage<Id extends string, Path extends string>(
  operation: Operation<Id, Path>,
  changes: Partial<Operation>,
): Operation<Id, Path> {
  const { path, ...request } = operation.request ?? {};
  const inLanguage = defineOperation({
    ...operation,
    ...changes,
    path: `${operation.path}/{languageTag}`,
    operationId: `${operation.operationId}InLanguage`,
    request: { ...request, path: Type.Object({ ...path?.properties, languageTag }) },
  });
  return defineOperation({ ...operation, inLanguage });
}

/** Defines pages that have these members in common. Paths that only delete and paths that change a single object have no language variant. */
export function pagesWith(common: Pick<CommonMembers, "family" | "tag" | "security">) {
  const define = operationsWith({
    ...common,
    audience: "idp",
    answers: { 400: expired, 500: page("Temporary failure.") },
  });
  return <const Id extends string, const Path extends string>(
    method: HttpMethod,
    path: Path,
    operationId: Id,
    row: Row,
  ): Operation<Id, Path> => {
    const operation = define(method, path, operationId, row);
    if (method === "delete" || (method !== "get" && path.includes("{"))) return operation;
    return withLanguage(operation, {
      summary: `${row.summary}, in a given language`,
      answers: { ...operation.answers, 404: unknownLanguage },
    });
  };
}
