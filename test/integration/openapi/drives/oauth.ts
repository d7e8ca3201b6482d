import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { aliceCode, aliceTokens, clientBasic, type UserTokens } from "../oidc-client.ts";
import { registrationDrives } from "./registrations.ts";

const type = "application/x-www-form-urlencoded";
const web = clientBasic("demo-web");
const machine = { grant_type: "client_credentials", scope: "service:authenticate" };
const request = {
  response_type: "code",
  client_id: "demo-web",
  redirect_uri: "http://127.0.0.1:8090/callback",
  scope: "openid",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
};
const wrongRequest = { ...request, redirect_uri: "https://elsewhere.example.test/" };

const asForm = (value: object, authorization: string | null): DriveParts => ({ body: { type, value }, authorization });
const read = (operationId: string): Drive => ({ operationId, status: 200, parts: () => ({ authorization: null }) });

function drive(operationId: string, status: number, parts: DriveParts): Drive {
  return { operationId, status, parts: () => parts };
}

const withToken = (name: keyof UserTokens, authorization: string) => async (stack: Stack) => {
  const tokens = await aliceTokens(stack);
  return asForm({ token: tokens[name] }, authorization);
};

const asBearer = async (stack: Stack): Promise<DriveParts> => {
  const { access_token: token } = await aliceTokens(stack);
  return { authorization: `Bearer ${token}` };
};

const clients: readonly Drive[] = [
  { operationId: "token", status: 200, parts: async (stack) => asForm(await aliceCode(stack), web) },
  {
    operationId: "token",
    status: 200,
    parts: async (stack) => {
      const { refresh_token } = await aliceTokens(stack);
      return asForm({ grant_type: "refresh_token", refresh_token }, web);
    },
  },
  drive("token", 200, asForm(machine, clientBasic("demo-m2m"))),
  drive("token", 400, asForm({ grant_type: "authorization_code", code: "none" }, web)),
  drive("token", 401, asForm(machine, null)),
  { ...drive("token", 400, asForm({ grant_type: "password" }, web)), breaksSchema: true },
  drive("tokenByQuery", 200, { query: machine, authorization: clientBasic("demo-m2m") }),
  drive("tokenByQuery", 401, { query: machine, authorization: clientBasic("nobody") }),
  { operationId: "introspect", status: 200, parts: withToken("access_token", clientBasic("demo-dovecot")) },
  drive("introspect", 200, asForm({ token: "none" }, web)),
  drive("introspect", 401, asForm({ token: "none" }, null)),
  { ...drive("introspect", 400, asForm({}, web)), breaksSchema: true },
  { operationId: "revoke", status: 200, parts: withToken("refresh_token", web) },
  drive("revoke", 401, asForm({ token: "none" }, null)),
  { ...drive("revoke", 400, asForm({}, web)), breaksSchema: true },
  drive("deviceAuthorization", 200, asForm({ client_id: "demo-device", scope: "openid" }, null)),
  drive("deviceAuthorization", 400, asForm({ scope: "openid" }, web)),
  drive("pushAuthorization", 201, asForm(request, web)),
  drive("pushAuthorization", 400, asForm(wrongRequest, web)),
  drive("pushAuthorization", 401, asForm(request, null)),
];

const users: readonly Drive[] = ["userinfo", "userinfoPost"].flatMap((operationId): readonly Drive[] => [
  { operationId, status: 200, parts: asBearer },
  drive(operationId, 401, { authorization: null }),
  drive(operationId, 401, { authorization: "Bearer none" }),
]);

const browsers: readonly Drive[] = [
  drive("authorize", 302, { query: request, authorization: null }),
  drive("authorize", 400, { query: wrongRequest, headers: { accept: "text/html" }, authorization: null }),
  drive("authorize", 400, { query: wrongRequest, headers: { accept: "application/json" }, authorization: null }),
  drive("authorizePost", 302, asForm(request, null)),
  drive("authorizeInLanguage", 302, { path: { languageTag: "de" }, query: request, authorization: null }),
  drive("authorizeInLanguage", 404, { path: { languageTag: "x" }, query: request, authorization: null }),
];

function logoutDrives(operationId: string): readonly Drive[] {
  const post = `${operationId}Post`;
  const german = { path: { languageTag: "de" } };
  const unknown = { path: { languageTag: "x" } };
  const state = asForm({ state: "x" }, null);
  return [
    drive(operationId, 302, { authorization: null }),
    { ...drive(operationId, 400, { query: { state: "x".repeat(8193) }, authorization: null }), breaksSchema: true },
    drive(`${operationId}InLanguage`, 302, { ...german, authorization: null }),
    drive(`${operationId}InLanguage`, 404, { ...unknown, authorization: null }),
    drive(post, 302, state),
    drive(post, 400, asForm({ csrf_token: "none" }, null)),
    drive(`${post}InLanguage`, 302, { ...state, ...german }),
    drive(`${post}InLanguage`, 404, { ...state, ...unknown }),
  ];
}

export const oauthDrives: readonly Drive[] = [
  read("discovery"),
  read("authorizationServerMetadata"),
  read("jwks"),
  read("checkSession"),
  read("protectedResourceMetadata"),
  ...registrationDrives,
  ...clients,
  ...users,
  ...browsers,
  ...logoutDrives("endSession"),
  ...logoutDrives("logout"),
];
