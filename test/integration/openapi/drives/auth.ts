import { alice } from "../../../support/ask-json.ts";
import type { Drive, DriveParts } from "../drive.ts";

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const cbor = "application/cbor";
const wrong = { ...alice, password: "wrong" };

function drive(operationId: string, status: number, parts: DriveParts): Drive {
  return { operationId, status, parts: () => parts };
}

function broken(operationId: string, parts: DriveParts): Drive {
  return { operationId, status: 400, parts: () => parts, breaksSchema: true };
}

const headers = (password: string) => ({
  "Auth-User": alice.username,
  "Auth-Pass": password,
  "Auth-Protocol": "imap",
});

const basicOf = (password: string) => `Basic ${Buffer.from(`${alice.username}:${password}`).toString("base64")}`;

const objectDrives = (operationId: string, type: string): readonly Drive[] => [
  drive(operationId, 200, { body: { type, value: alice } }),
  drive(operationId, 200, { query: { mode: "no-auth" }, body: { type, value: { ...alice, password: "" } } }),
  drive(operationId, 200, {
    query: { mode: "list-accounts" },
    headers: { accept: "application/json" },
    body: { type, value: alice },
  }),
  drive(operationId, 403, { body: { type, value: wrong } }),
  drive(operationId, 401, { body: { type, value: alice }, authorization: "Basic YTpi" }),
  broken(operationId, { body: { type, value: { username: 7 } } }),
];

const headerDrives = (operationId: string, denied: number): readonly Drive[] => [
  drive(operationId, 200, { headers: headers(alice.password) }),
  drive(operationId, denied, { headers: headers("wrong") }),
  drive(operationId, 401, { headers: headers(alice.password), authorization: null }),
  broken(operationId, { headers: {} }),
];

export const authDrives: readonly Drive[] = [
  ...objectDrives("authenticateJson", json),
  drive("authenticateJson", 200, { body: { type: form, value: alice } }),
  drive("authenticateJson", 415, {
    query: { mode: "list-accounts" },
    headers: { accept: "image/png" },
    body: { type: json, value: alice },
  }),
  ...objectDrives("authenticateCbor", cbor),
  ...headerDrives("authenticateHeader", 403),
  ...headerDrives("authenticateProxy", 200),
  ...headerDrives("authenticateProxyPost", 200),
  drive("authenticateBasic", 200, { headers: { "Auth-Protocol": "http" }, authorization: basicOf(alice.password) }),
  drive("authenticateBasic", 403, { headers: { "Auth-Protocol": "http" }, authorization: basicOf("wrong") }),
  broken("authenticateBasic", { authorization: basicOf(alice.password) }),
  drive("authenticateSasl", 200, { body: { type: form, value: { ...alice, client_ip: "" } } }),
  drive("authenticateSasl", 403, { body: { type: form, value: wrong } }),
  broken("authenticateSasl", { body: { type: form, value: { password: "x" } } }),
];
