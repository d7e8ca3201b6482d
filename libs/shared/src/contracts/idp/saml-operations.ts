import { type TProperties, Type } from "typebox";
import { ErrorBody } from "../openapi/answers.ts";
import { defineOperation, type HttpMethod, type Operation, type OperationAnswer } from "../openapi/define-operation.ts";

const common = { tag: "SAML2", audience: "idp", security: "none" } as const;
const form = "application/x-www-form-urlencoded";
const html = { "text/html": Type.String() };
const page = (description: string): OperationAnswer => ({ description, content: html });
const failed: OperationAnswer = {
  description: "A temporary failure.",
  content: { ...html, "application/json": ErrorBody },
};
const sentTo = (description: string): OperationAnswer => ({ description, headers: { Location: Type.String() } });

const message = Type.String({ description: "Base64; of a GET, deflated before (SAML Bindings §3.4.4.1)." });
const RelayState = Type.Optional(Type.String());
/** SAML Bindings §3.4.4.1: a signature over the query. */
const signature = { SigAlg: Type.Optional(Type.String()), Signature: Type.Optional(Type.String()) };
const request = Type.Optional(
  Type.String({ description: "A request that was verified before, in place of SAMLRequest." }),
);
const refused = page("The message is malformed, unsigned, replayed or of nobody that is known.");

const ssoAnswers = {
  200: page("A page that posts the response to the service provider."),
  302: sentTo("To the sign-in."),
  400: refused,
  500: failed,
};
const sloAnswers = {
  200: page("A page that posts the response to the service provider, or that shows how a logout goes on."),
  204: { description: "A response of a service provider that came in a frame of that page." },
  302: sentTo("To a service provider with a message, or to the page that says how the logout stands."),
  400: refused,
  404: page("Logout is off (identity.saml.slo.enabled)."),
  500: failed,
};

const query = (fields: TProperties) => ({ query: Type.Object(fields) });
const body = (title: string) => ({ body: { [form]: Type.Object({ SAMLRequest: message, RelayState }, { title }) } });

interface Binding {
  readonly method: HttpMethod;
  readonly operationId: string;
  readonly request: NonNullable<Operation["request"]>;
}

const binding = (path: string, summary: string, answers: Operation["answers"], row: Binding): Operation =>
  defineOperation({ ...common, ...row, path, summary, answers });

/** Contract, "Identity provider: SAML2". */
export const samlOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "get",
    path: "/saml/metadata",
    operationId: "samlMetadata",
    summary: "The entity descriptor, signed",
    answers: {
      200: { description: "The descriptor.", content: { "application/samlmetadata+xml": Type.String() } },
      500: failed,
    },
  }),
  binding("/saml/sso", "A sign-in for a service provider, by the Redirect binding", ssoAnswers, {
    method: "get",
    operationId: "samlSignIn",
    request: query({ SAMLRequest: Type.Optional(message), RelayState, ...signature, request }),
  }),
  binding(
    "/saml/sso",
    "A sign-in for a service provider, by the POST binding",
    { 302: sentTo("To the same path by GET, with the cookies of this site."), 400: refused, 500: failed },
    { method: "post", operationId: "samlSignInPost", request: body("SamlSignInRequest") },
  ),
  binding("/saml/slo", "A logout request or response of a service provider, by the Redirect binding", sloAnswers, {
    method: "get",
    operationId: "samlLogout",
    request: query({
      SAMLRequest: Type.Optional(message),
      SAMLResponse: Type.Optional(message),
      RelayState,
      ...signature,
      logout: Type.Optional(Type.String({ description: "A logout under way, in place of a message." })),
    }),
  }),
  binding("/saml/slo", "A logout request or response of a service provider, by the POST binding", sloAnswers, {
    method: "post",
    operationId: "samlLogoutPost",
    request: body("SamlLogoutRequest"),
  }),
];
