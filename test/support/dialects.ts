import { encodeCbor } from "@postern/shared/platform/cbor";
import { alice } from "./ask-json.ts";
import { askRaw, type Header, type RawAnswer, type RawRequest } from "./ask-raw.ts";
import { basicAuth } from "./stack.ts";

/** The dialects over HTTP; `form` is the JSON endpoint with a form as its body. */
export const dialects = ["json", "form", "cbor", "header", "proxy", "sasl", "basic"] as const;
export type Dialect = (typeof dialects)[number];

/** A login of alice, unless other values are given. The sasl and basic dialects send no client address. */
export interface DialectLogin {
  /** Bytes, for names that are not UTF-8. */
  readonly username?: string | Buffer;
  readonly password?: string;
  readonly protocol?: string;
  readonly clientIp?: string;
  /** `auth_login_attempt` or `Auth-Login-Attempt`. */
  readonly attempt?: number;
  /** The query with its question mark. */
  readonly query?: string;
  /** Additional headers. */
  readonly headers?: readonly Header[];
  /** The API caller's credentials, in place of the usual ones. */
  readonly authorization?: string;
}

interface Login {
  readonly name: Buffer;
  readonly password: string;
  readonly protocol: string;
  readonly clientIp: string;
  readonly attempt: number | undefined;
}

type Parts = Omit<RawRequest, "path">;

export const caller: Header = ["Authorization", basicAuth];
export const formType = "application/x-www-form-urlencoded";

/** A session identifier (`X-Service-Session`). */
export const sessionId = /^[0-9a-f-]{36}$/;

/** The status of each outcome (contract, Authentication endpoints). */
export function statusesOf(dialect: Dialect) {
  return dialect === "proxy"
    ? ({ success: 200, denial: 200, temporary: 200 } as const)
    : ({ success: 200, denial: 403, temporary: 500 } as const);
}

/** Every byte percent-encoded. nginx encodes some of them, which means the same. */
const percentEncoded = (bytes: Buffer | string): string =>
  Array.from(Buffer.from(bytes), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

export const basicOf = (username: Buffer | string, password: string): string =>
  `Basic ${Buffer.concat([Buffer.from(username), Buffer.from(`:${password}`)]).toString("base64")}`;

function fieldsOf({ name, password, protocol, clientIp, attempt }: Login) {
  const optional = attempt === undefined ? {} : { auth_login_attempt: attempt };
  return { username: name.toString("utf8"), password, protocol, client_ip: clientIp, ...optional };
}

function formOf({ name, password, protocol }: Login): string {
  return `username=${percentEncoded(name)}&password=${percentEncoded(password)}&protocol=${protocol}`;
}

function byHeaders(method: "GET" | "POST") {
  return ({ name, password, protocol, clientIp, attempt }: Login): Parts => ({
    method,
    headers: [
      caller,
      ["Auth-Method", "plain"],
      ["Auth-User", percentEncoded(name)],
      ["Auth-Pass", percentEncoded(password)],
      ["Auth-Protocol", protocol],
      ["Client-IP", clientIp],
      ...(attempt === undefined ? [] : [["Auth-Login-Attempt", String(attempt)] as const]),
    ],
  });
}

const requestOf: Readonly<Record<Dialect, (login: Login) => Parts>> = {
  json: (login) => ({
    headers: [caller, ["Content-Type", "application/json"]],
    body: JSON.stringify(fieldsOf(login)),
  }),
  form: (login) => ({
    headers: [caller, ["Content-Type", formType]],
    body: `${formOf(login)}&client_ip=${encodeURIComponent(login.clientIp)}`,
  }),
  cbor: (login) => ({ headers: [caller, ["Content-Type", "application/cbor"]], body: encodeCbor(fieldsOf(login)) }),
  header: byHeaders("POST"),
  proxy: byHeaders("GET"),
  sasl: (login) => ({ headers: [caller, ["Content-Type", formType]], body: formOf(login) }),
  basic: ({ name, password, protocol }) => ({
    method: "GET",
    headers: [
      ["Authorization", basicOf(name, password)],
      ["Auth-Protocol", protocol],
    ],
  }),
};

export function loginRequest(dialect: Dialect, login: DialectLogin = {}): RawRequest {
  const { username = alice.username, password = alice.password, protocol = alice.protocol } = login;
  const { clientIp = alice.client_ip, attempt, query = "", headers = [], authorization = basicAuth } = login;
  const parts = requestOf[dialect]({ name: Buffer.from(username), password, protocol, clientIp, attempt });
  const own = (parts.headers ?? []).map((header) =>
    header === caller ? (["Authorization", authorization] as const) : header,
  );
  const endpoint = dialect === "form" ? "json" : dialect;
  return { ...parts, path: `/api/v1/auth/${endpoint}${query}`, headers: [...own, ...headers] };
}

export function askDialect(url: string, dialect: Dialect, login: DialectLogin = {}): Promise<RawAnswer> {
  return askRaw(url, loginRequest(dialect, login));
}
