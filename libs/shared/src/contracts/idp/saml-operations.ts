import { type TProperties, Type } from "typebox";
import { ErrorBody } from "../operations/answers.ts";
import { type Operation, type OperationAnswer, operationsWith } from "../operations/define-operation.ts";
import { optionalText, text } from "../schema.ts";
import { form, page, samlFamily, sentTo, withLanguage } from "./page-operation.ts";

const failed: OperationAnswer = {
  description: "Temporary failure.",
  content: { "text/html": Type.String(), "application/json": ErrorBody },
};

const saml = operationsWith({
  family: samlFamily,
  tag: "SAML2",
  audience: "idp",
  security: "none",
  answers: { 500: failed },
});

const message = text("SAML message in Base64. In a GET request it is deflated first (SAML Bindings §3.4.4.1).");
const RelayState = Type.Optional(Type.String());
/** SAML Bindings §3.4.4.1: a signature over the query. */
const signature = { SigAlg: Type.Optional(Type.String()), Signature: Type.Optional(Type.String()) };
const request = optionalText("Request that another site has posted and that was verified, in place of SAMLRequest.");
const refused = page("The message is malformed, unsigned, replayed or from an unknown service provider.");

const sloAnswers = {
  200: page("Page that posts the response to the service provider, or shows the progress of a logout."),
  204: { description: "The response of a service provider in a frame of that page was accepted." },
  302: sentTo(
    "Redirect to a service provider with a message, to the page with the result of the logout, or to the same path with GET, so that the browser sends its cookies.",
  ),
  400: refused,
  404: page("Single logout is disabled (identity.saml.slo.enabled)."),
};

const query = (fields: TProperties) => ({ query: Type.Object(fields) });
const body = (title: string) => form(Type.Object({ SAMLRequest: message, RelayState }, { title }));

/** Pages take a language tag, and these are served as pages; no metadata contains the paths with one. */
const hidden = { undocumented: "SAML's paths are pages, which take a language tag; no metadata names these" } as const;

const binding = <const Id extends string, const Path extends string>(
  method: "get" | "post",
  path: Path,
  operationId: Id,
  row: Pick<Operation, "summary" | "request" | "answers">,
) => withLanguage(saml(method, path, operationId, row), hidden);

export const samlOperations = [
  binding("get", "/saml/metadata", "samlMetadata", {
    summary: "Get the signed SAML metadata",
    answers: {
      200: { description: "The entity descriptor.", content: { "application/samlmetadata+xml": Type.String() } },
    },
  }),
  binding("get", "/saml/sso", "samlSignIn", {
    summary: "Start a sign-in for a service provider (Redirect binding)",
    request: query({ SAMLRequest: Type.Optional(message), RelayState, ...signature, request }),
    answers: {
      200: page("Page that posts the response to the service provider."),
      302: sentTo("Redirect to the sign-in."),
      400: refused,
    },
  }),
  binding("post", "/saml/sso", "samlSignInPost", {
    summary: "Start a sign-in for a service provider (POST binding)",
    request: body("SamlSignInRequest"),
    answers: {
      302: sentTo("Redirect to the same path with GET, so that the browser sends its cookies."),
      400: refused,
    },
  }),
  binding("get", "/saml/slo", "samlLogout", {
    summary: "Process a logout request or response of a service provider (Redirect binding)",
    request: query({
      SAMLRequest: Type.Optional(message),
      SAMLResponse: Type.Optional(message),
      RelayState,
      ...signature,
      request,
      logout: optionalText("A logout in progress, in place of a message."),
    }),
    answers: sloAnswers,
  }),
  binding("post", "/saml/slo", "samlLogoutPost", {
    summary: "Process a logout request or response of a service provider (POST binding)",
    request: body("SamlLogoutRequest"),
    answers: sloAnswers,
  }),
];
