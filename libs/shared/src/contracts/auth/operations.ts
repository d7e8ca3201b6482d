import { Type } from "typebox";
import { ErrorBody, emptyAnswer } from "../openapi/answers.ts";
import { type Content, defineOperation, type Operation, type OperationAnswer } from "../openapi/define-operation.ts";
import {
  AccountList,
  AuthenticationCbor,
  AuthenticationForm,
  AuthenticationHeaders,
  AuthenticationQuery,
  AuthenticationRequest,
  AuthenticationSuccess,
  SaslForm,
} from "./wire.ts";

const form = "application/x-www-form-urlencoded";
const anyText = Type.String();

const decisionHeaders = {
  "Auth-Status": Type.String({ description: "OK, FAIL, or a sentence" }),
  "X-Service-Memory-Cache": Type.Union([Type.Literal("Hit"), Type.Literal("Miss")]),
};
const successHeaders = { ...decisionHeaders, "Auth-User": Type.String() };
const authWait = { "Auth-Wait": Type.String({ description: "seconds to wait; only on a denial" }) };

const attributeNote = "Attributes of the user are headers that begin with X-Service-.";

function answer(description: string, content?: Content, headers: OperationAnswer["headers"] = {}): OperationAnswer {
  return { description, headers, ...(content !== undefined && { content }) };
}

/** Lists of accounts, in the order of preference. */
const lists: Content = {
  "application/cbor": AccountList,
  "application/json": AccountList,
  [form]: anyText,
  "text/plain": anyText,
};

const listRefused = (type: string): OperationAnswer =>
  answer("With mode list-accounts: nothing that the caller accepts is offered.", { [type]: ErrorBody });

/** What JSON and CBOR share: 200 with an object, 403 with null, 500 with an error. */
function objectAnswers(type: string): Operation["answers"] {
  const success = Type.Union([AuthenticationSuccess, AccountList]);
  return {
    200: answer("The user is let in, or the list of accounts.", { ...lists, [type]: success }, successHeaders),
    400: answer("The request is none.", { [type]: ErrorBody }),
    403: answer("The user is not let in, or is blocked.", { [type]: Type.Null() }, { ...decisionHeaders, ...authWait }),
    404: emptyAnswer("The endpoint is switched off."),
    415: listRefused(type),
    500: answer("Nobody could decide: a temporary failure.", { [type]: ErrorBody }, decisionHeaders),
  };
}

const headerAnswers: Operation["answers"] = {
  200: {
    ...answer(`The user is let in, without a body, or the list of accounts. ${attributeNote}`, lists, successHeaders),
    bodyOptional: true,
  },
  400: answer("Headers are missing or wrong.", { "application/json": ErrorBody }),
  403: answer(
    "The user is not let in, or is blocked.",
    { "application/json": Type.Null() },
    { ...decisionHeaders, ...authWait },
  ),
  404: emptyAnswer("The endpoint is switched off."),
  415: listRefused("application/json"),
  500: answer("Nobody could decide: a temporary failure.", { "application/json": ErrorBody }, decisionHeaders),
};

const common = { tag: "Authentication", audience: "management", security: "backchannel" } as const;
const query = AuthenticationQuery;

const proxyAnswers: Operation["answers"] = {
  200: {
    ...answer(
      "The outcome is in Auth-Status: OK, the reason of a denial, or of a temporary failure.",
      { "text/plain": anyText, "application/json": Type.Union([Type.Null(), ErrorBody]) },
      {
        ...decisionHeaders,
        ...authWait,
        "Auth-User": anyText,
        "Auth-Server": Type.String({ description: "mail server for the protocol" }),
        "Auth-Port": Type.String({ description: "its port" }),
        "Auth-Error-Code": Type.String({ description: "temporary failures of SMTP" }),
      },
    ),
    bodyOptional: true,
  },
  400: answer("Headers are missing or wrong.", { "application/json": ErrorBody }),
  404: emptyAnswer("The endpoint is switched off."),
};

const proxy = {
  ...common,
  path: "/api/v1/auth/proxy",
  description: "200 for every outcome. In the outcome OK, Auth-Server and Auth-Port say where the mailbox is.",
  request: { headers: AuthenticationHeaders },
  answers: proxyAnswers,
} as const;

export const authOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "post",
    path: "/api/v1/auth/json",
    operationId: "authenticateJson",
    summary: "Ask whether a user is let in, in JSON or as a form",
    request: { query, body: { "application/json": AuthenticationRequest, [form]: AuthenticationForm } },
    answers: objectAnswers("application/json"),
  }),
  defineOperation({
    ...common,
    method: "post",
    path: "/api/v1/auth/cbor",
    operationId: "authenticateCbor",
    summary: "Ask whether a user is let in, in CBOR",
    description: "Every answer's body is CBOR. The decoder is strict: no tags, no indefinite lengths, no duplicates.",
    request: { query, body: { "application/cbor": AuthenticationCbor } },
    answers: objectAnswers("application/cbor"),
  }),
  defineOperation({
    ...common,
    method: "post",
    path: "/api/v1/auth/header",
    operationId: "authenticateHeader",
    summary: "Ask whether a user is let in, with headers",
    request: { query, headers: AuthenticationHeaders },
    answers: headerAnswers,
  }),
  defineOperation({
    ...common,
    method: "get",
    path: "/api/v1/auth/basic",
    operationId: "authenticateBasic",
    summary: "Ask whether the user of these Basic credentials is let in",
    description:
      "Offered with runtime.servers.http.auth_basic_endpoint. Each request takes a token of the failure budget.",
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
  defineOperation({
    ...proxy,
    method: "get",
    operationId: "authenticateProxy",
    summary: "Ask for a mail proxy whether a user is let in, and where the mailbox is",
  }),
  defineOperation({
    ...proxy,
    method: "post",
    operationId: "authenticateProxyPost",
    summary: "The same by POST; a body is not read",
  }),
  defineOperation({
    ...common,
    method: "post",
    path: "/api/v1/auth/sasl",
    operationId: "authenticateSasl",
    summary: "Ask for a SASL daemon whether a user is let in",
    request: { body: { [form]: SaslForm } },
    answers: headerAnswers,
  }),
];
