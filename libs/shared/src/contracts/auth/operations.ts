import { type TProperties, Type } from "typebox";
import { backchannel, ErrorBody, emptyAnswer } from "../operations/answers.ts";
import {
  type CommonMembers,
  type Content,
  type Operation,
  type OperationAnswer,
  operationsWith,
} from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { component, integer, oneOf, optionalText, text, textsByName } from "../schema.ts";
import { authFields, optionalWireTexts } from "./fields.ts";

function optionalTexts(rows: readonly (readonly [string, string])[]): TProperties {
  return Object.fromEntries(rows.map(([name, description]) => [name, optionalText(description)]));
}

const fields = { ...optionalWireTexts(), username: text(authFields.username.description) };

/** Request of the JSON dialect. Bodies may have unknown members (ADR 0007). */
const AuthenticationRequest = component("AuthenticationRequest", {
  ...fields,
  auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })),
});

/** Request of the JSON dialect as a form, where numbers are text. */
const AuthenticationForm = component("AuthenticationForm", {
  ...fields,
  auth_login_attempt: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })),
});

/** Request of the CBOR dialect, which rejects unknown fields. */
const AuthenticationCbor = component(
  "AuthenticationCbor",
  { ...fields, auth_login_attempt: Type.Optional(Type.Integer({ minimum: 0 })) },
  { description: "A CBOR map.", additionalProperties: false },
);

const SaslForm = component("SaslForm", {
  username: Type.String(),
  password: Type.Optional(Type.String()),
  protocol: Type.Optional(Type.String()),
  ...optionalTexts([
    ["port", "Port of the mail server that accepted the client."],
    ["method", "Authentication method."],
    ["tls", "Any non-empty value means that the client uses TLS."],
    ["security", "TLS version."],
    ["user_agent", "Name of the mail client."],
    ["realm", "Realm, appended to the user name after an @."],
  ]),
});

const AuthenticationSuccess = component("AuthenticationSuccess", {
  ok: Type.Literal(true),
  account_field: text("Attribute with the account name."),
  totp_secret_field: text("Attribute that holds the TOTP secret. It may be empty."),
  backend: integer("Source of the decision: 1 cache, 2 ldap, 3 lua, 4 test, 5 memory, 6 remote, 8 sql."),
  attributes: textsByName("Attributes of the account, without secrets."),
});

const AccountList = Type.Array(Type.String(), {
  title: "AccountList",
  description: "Account names, for mode list-accounts.",
});

const AuthenticationQuery = Type.Object({
  mode: Type.Optional(
    Type.Union([Type.Literal("no-auth"), Type.Literal("list-accounts")], {
      description: "no-auth looks the account up without a password. list-accounts lists the account names.",
    }),
  ),
  "in-memory": optionalText("0 skips the memory cache."),
  cache: optionalText("0 skips the shared cache."),
});

/** Request headers of the header dialects, by their default names. */
const AuthenticationHeaders = Type.Object({
  "Auth-User": text("User name. The header names are set by auth.request.headers."),
  "Auth-Protocol": text("Protocol, such as imap, smtp or pop3."),
  ...optionalTexts([
    ["Auth-Pass", "Password."],
    ["Auth-Password-Encoded", "1 if the password is Base64-encoded."],
    ["Auth-Method", "Authentication method."],
    ["Auth-Login-Attempt", "Number of the login attempt."],
    ["Client-IP", "Client address. Accepted only from a trusted proxy."],
    ["X-Client-Port", "Port of the client. Accepted only from a trusted proxy."],
    ["X-Client-Host", "Host name of the client."],
    ["X-Client-Id", "Identification that the mail client sent."],
    ["X-Local-IP", "Address of the mail server that accepted the client."],
    ["X-Auth-Port", "Port of that mail server."],
    ["X-OIDC-CID", "OIDC client ID."],
    ["Auth-SSL", "Any non-empty value means that the client uses TLS."],
    ["Auth-SSL-Protocol", "TLS version."],
    ["Auth-SSL-Cipher", "TLS cipher suite."],
  ]),
});

const form = "application/x-www-form-urlencoded";
const anyText = Type.String();

const decisionHeaders = {
  "Auth-Status": text("OK, FAIL, or a sentence that describes the denial or temporary failure."),
  "X-Service-Memory-Cache": oneOf("Hit", "Miss"),
};
const successHeaders = { ...decisionHeaders, "Auth-User": Type.String() };
const authWait = { "Auth-Wait": text("Seconds to wait before the next attempt. Sent only with a denial.") };

const attributeNote = "Attributes of the account are sent in headers that begin with X-Service-.";

function answer(description: string, content?: Content, headers: OperationAnswer["headers"] = {}): OperationAnswer {
  return { description, headers, ...(content !== undefined && { content }) };
}

/** Media types of account lists, in order of preference. */
const lists: Content = {
  "application/cbor": AccountList,
  "application/json": AccountList,
  [form]: anyText,
  "text/plain": anyText,
};

const listRefused = (type: string): OperationAnswer =>
  answer("With mode list-accounts: none of the media types in Accept is supported.", { [type]: ErrorBody });

const denied = (type: string): OperationAnswer =>
  answer("The user is denied, or the network is banned.", { [type]: Type.Null() }, { ...decisionHeaders, ...authWait });
const failed = (type: string): OperationAnswer => answer("Temporary failure.", { [type]: ErrorBody }, decisionHeaders);
const badHeaders = answer("Headers are missing or invalid.", { "application/json": ErrorBody });
const disabled = emptyAnswer("The endpoint is disabled.");

/** Answers that JSON and CBOR share: 200 with an object, 403 with null, 500 with an error. */
function objectAnswers(type: string): Operation["answers"] {
  const success = Type.Union([AuthenticationSuccess, AccountList]);
  return {
    200: answer(
      "The user is authenticated, or the body is the list of accounts.",
      { ...lists, [type]: success },
      successHeaders,
    ),
    400: answer("Malformed request.", { [type]: ErrorBody }),
    403: denied(type),
    404: disabled,
    415: listRefused(type),
    500: failed(type),
  };
}

const headerAnswers: Operation["answers"] = {
  200: {
    ...answer(
      `The user is authenticated and the body is empty, or the body is the list of accounts. ${attributeNote}`,
      lists,
      successHeaders,
    ),
    bodyOptional: true,
  },
  400: badHeaders,
  403: denied("application/json"),
  404: disabled,
  415: listRefused("application/json"),
  500: failed("application/json"),
};

const family = defineFamily({
  name: "authentication",
  prefix: "/api/v1/auth",
  owner: "gateway",
  channel: "back",
  anyScope: [],
});
const common: CommonMembers = { ...backchannel(family, "Authentication"), concerns: { of: "accounts" } };
const authentication = operationsWith(common);
const query = AuthenticationQuery;

const proxyAnswers: Operation["answers"] = {
  200: {
    ...answer(
      "The outcome is in Auth-Status: OK, the reason of a denial, or the message of a temporary failure.",
      { "text/plain": anyText, "application/json": Type.Union([Type.Null(), ErrorBody]) },
      {
        ...decisionHeaders,
        ...authWait,
        "Auth-User": anyText,
        "Auth-Server": text("Address of the mail server."),
        "Auth-Port": text("Port of the mail server."),
        "Auth-Error-Code": text("SMTP status code. Sent only with temporary failures of SMTP."),
      },
    ),
    bodyOptional: true,
  },
  400: badHeaders,
  404: disabled,
};

const proxy = operationsWith({
  ...common,
  disabledBy: "auth_proxy",
  namedBy: "proxy_segment",
  description:
    "The status is 200 for every outcome. With the outcome OK, Auth-Server and Auth-Port contain the mail server of the account.",
  request: { headers: AuthenticationHeaders },
  answers: proxyAnswers,
});

export const authOperations = [
  authentication("post", "/api/v1/auth/json", "authenticateJson", {
    disabledBy: "auth_json",
    summary: "Authenticate a user (JSON dialect)",
    request: { query, body: { "application/json": AuthenticationRequest, [form]: AuthenticationForm } },
    answers: objectAnswers("application/json"),
  }),
  authentication("post", "/api/v1/auth/cbor", "authenticateCbor", {
    disabledBy: "auth_cbor",
    maxBodyBytes: 1_048_576,
    summary: "Authenticate a user (CBOR dialect)",
    description: "The body of every response is CBOR. Tags, indefinite lengths and duplicate keys are rejected.",
    request: { query, body: { "application/cbor": AuthenticationCbor } },
    answers: objectAnswers("application/cbor"),
  }),
  authentication("post", "/api/v1/auth/header", "authenticateHeader", {
    disabledBy: "auth_header",
    summary: "Authenticate a user (header dialect)",
    request: { query, headers: AuthenticationHeaders },
    answers: headerAnswers,
  }),
  authentication("get", "/api/v1/auth/basic", "authenticateBasic", {
    disabledBy: "auth_basic",
    summary: "Authenticate the user of the Basic credentials (basic dialect)",
    description:
      "Available if runtime.servers.http.auth_basic_endpoint is true. Each request takes one token of the failure budget.",
    security: "user_basic",
    request: {
      headers: Type.Object({
        "Auth-Protocol": Type.String(),
        "Auth-Method": Type.Optional(Type.String()),
        "Auth-Login-Attempt": Type.Optional(Type.String()),
        "X-OIDC-CID": Type.Optional(Type.String()),
      }),
    },
    answers: headerAnswers,
  }),
  proxy("get", "/api/v1/auth/proxy", "authenticateProxy", {
    summary: "Authenticate a user and find the mail server (proxy dialect)",
  }),
  proxy("post", "/api/v1/auth/proxy", "authenticateProxyPost", {
    summary: "Authenticate a user and find the mail server (proxy dialect, with POST and an ignored body)",
  }),
  authentication("post", "/api/v1/auth/sasl", "authenticateSasl", {
    disabledBy: "auth_sasl",
    namedBy: "sasl_segment",
    summary: "Authenticate a user (SASL dialect)",
    request: { body: { [form]: SaslForm } },
    answers: headerAnswers,
  }),
];
