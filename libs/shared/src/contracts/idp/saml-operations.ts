import { type TProperties, Type } from "typebox";
import { ErrorBody } from "../operations/answers.ts";
import {
  defineOperation,
  type HttpMethod,
  type Operation,
  type OperationAnswer,
} from "../operations/define-operation.ts";
import { samlFamily } from "./families.ts";
import { withLanguage } from "./page-operation.ts";

const common = { family: samlFamily, tag: "SAML2", audience: "idp", security: "none" } as const;
const form = "application/x-www-form-urlencoded";
const html = { "text/html": Type.String() };
const page = (description: string): OperationAnswer => ({ description, content: html });
const failed: OperationAnswer = {
  description: "Temporary failure.",
  content: { ...html, "application/json": ErrorBody },
};
const sentTo = (description: string): OperationAnswer => ({ description, headers: { Location: Type.String() } });

const message = Type.String({
  description: "SAML message in Base64. In a GET request it is deflated first (SAML Bindings §3.4.4.1).",
});
const RelayState = Type.Optional(Type.String());
/** SAML Bindings §3.4.4.1: a signature over the query. */
const signature = { SigAlg: Type.Optional(Type.String()), Signature: Type.Optional(Type.String()) };
const request = Type.Optional(
  Type.String({ description: "Request that another site has posted and that was verified, in place of SAMLRequest." }),
);
const refused = page("The message is malformed, unsigned, replayed or from an unknown service provider.");

const ssoAnswers = {
  200: page("Page that posts the response to the service provider."),
  302: sentTo("Redirect to the sign-in."),
  400: refused,
  500: failed,
};
const sloAnswers = {
  200: page("Page that posts the response to the service provider, or shows the progress of a logout."),
  204: { description: "The response of a service provider in a frame of that page was accepted." },
  302: sentTo(
    "Redirect to a service provider with a message, to the page with the result of the logout, or to the same path with GET, so that the browser sends its cookies.",
  ),
  400: refused,
  404: page("Single logout is disabled (identity.saml.slo.enabled)."),
  500: failed,
};

const query = (fields: TProperties) => ({ query: Type.Object(fields) });
const body = (title: string) => ({ body: { [form]: Type.Object({ SAMLRequest: message, RelayState }, { title }) } });

interface Binding<Id extends string> {
  readonly method: HttpMethod;
  readonly operationId: Id;
  readonly request?: NonNullable<Operation["request"]>;
}

/** Pages take a language tag, and these are served as pages; no metadata contains the paths with one. */
const hidden = { undocumented: "SAML's paths are pages, which take a language tag; no metadata names these" } as const;

const binding = <const Path extends string, const Id extends string>(
  path: Path,
  summary: string,
  answers: Operation["answers"],
  row: Binding<Id>,
) => withLanguage(defineOperation({ ...common, ...row, path, summary, answers }), hidden);

/** SAML endpoints. */
export const samlOperations = [
  binding(
    "/saml/metadata",
    "Get the signed SAML metadata",
    {
      200: { description: "The entity descriptor.", content: { "application/samlmetadata+xml": Type.String() } },
      500: failed,
    },
    { method: "get", operationId: "samlMetadata" },
  ),
  binding("/saml/sso", "Start a sign-in for a service provider (Redirect binding)", ssoAnswers, {
    method: "get",
    operationId: "samlSignIn",
    request: query({ SAMLRequest: Type.Optional(message), RelayState, ...signature, request }),
  }),
  binding(
    "/saml/sso",
    "Start a sign-in for a service provider (POST binding)",
    {
      302: sentTo("Redirect to the same path with GET, so that the browser sends its cookies."),
      400: refused,
      500: failed,
    },
    { method: "post", operationId: "samlSignInPost", request: body("SamlSignInRequest") },
  ),
  binding("/saml/slo", "Process a logout request or response of a service provider (Redirect binding)", sloAnswers, {
    method: "get",
    operationId: "samlLogout",
    request: query({
      SAMLRequest: Type.Optional(message),
      SAMLResponse: Type.Optional(message),
      RelayState,
      ...signature,
      request,
      logout: Type.Optional(Type.String({ description: "A logout in progress, in place of a message." })),
    }),
  }),
  binding("/saml/slo", "Process a logout request or response of a service provider (POST binding)", sloAnswers, {
    method: "post",
    operationId: "samlLogoutPost",
    request: body("SamlLogoutRequest"),
  }),
];
