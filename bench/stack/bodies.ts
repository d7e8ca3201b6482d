import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeCbor } from "@postern/shared/platform/cbor";
import type { RequestFormat } from "../generator/wrk.ts";
import { mailOf } from "./users.ts";

export interface BodiesOptions {
  readonly username?: (userIndex: number) => string;
  /** If it contains the mark of `serial-mark.ts`, each request has a different password. */
  readonly password: string;
  /** Default: `plain`. */
  readonly method?: string;
  readonly clientIp?: (index: number) => string;
  readonly users: number;
  /** Default: at most 1000, spread evenly over the users. */
  readonly lines?: number;
  /** Default: JSON. */
  readonly format?: RequestFormat;
}

const maxLines = 1000;

function clientOf(index: number): string {
  return `203.0.${113 + ((index >> 8) & 7)}.${index & 255}`;
}

/** A mail server's request for a login, about 540 bytes of JSON. */
function loginOf(username: string, { password, method = "plain", clientIp = clientOf }: BodiesOptions, index: number) {
  return {
    username,
    password,
    protocol: "imap",
    method,
    client_ip: clientIp(index),
    client_port: String(20_000 + index),
    client_hostname: `client-${index}.isp.example`,
    client_id: "name=Mail version=128.4.3",
    external_session_id: `5f0c7b1e-2f34-4d0a-9f7e-${String(index).padStart(12, "0")}`,
    user_agent: "Mail/128.4.3 (bench)",
    local_ip: "192.0.2.25",
    local_port: "993",
    ssl: "on",
    ssl_protocol: "TLSv1.3",
    ssl_cipher: "TLS_AES_256_GCM_SHA384",
  };
}

type Login = ReturnType<typeof loginOf>;

/** `auth.request.headers` with its defaults. */
const headerOf: Readonly<Record<keyof Login, string>> = {
  username: "Auth-User",
  password: "Auth-Pass",
  protocol: "Auth-Protocol",
  method: "Auth-Method",
  client_ip: "Client-IP",
  client_port: "X-Client-Port",
  client_hostname: "X-Client-Host",
  client_id: "X-Client-Id",
  external_session_id: "X-External-Session-Id",
  user_agent: "User-Agent",
  local_ip: "X-Local-IP",
  local_port: "X-Auth-Port",
  ssl: "Auth-SSL",
  ssl_protocol: "Auth-SSL-Protocol",
  ssl_cipher: "Auth-SSL-Cipher",
};

function headersOf(login: Login): string {
  const values = new Map(Object.entries(login));
  return Object.entries(headerOf)
    .map(([field, header]) => `${header}: ${values.get(field)}`)
    .join("\t");
}

/** One line of the file. */
const lineOf: Readonly<Record<RequestFormat, (login: Login) => string>> = {
  json: (login) => JSON.stringify(login),
  cbor: (login) => encodeCbor(login).toString("hex"),
  header: headersOf,
};

/** Writes a file with one body per line, for users spread evenly over the backend. */
export async function writeBodies(folder: string, name: string, options: BodiesOptions): Promise<string> {
  const { username = mailOf, users, format = "json" } = options;
  const { lines = Math.min(users, maxLines) } = options;
  const file = join(folder, `${name}.bodies`);
  const bodies = Array.from({ length: lines }, (_, line) => {
    const userIndex = Math.floor((line * users) / lines);
    return lineOf[format](loginOf(username(userIndex), options, line));
  });
  await writeFile(file, `${bodies.join("\n")}\n`);
  return file;
}
