import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mailOf } from "./users.ts";

export interface BodiesOptions {
  readonly username?: (nth: number) => string;
  readonly password: string;
  readonly users: number;
}

const maxLines = 1000;

/** What a mail server tells of a login, about 540 bytes. */
function body(username: string, password: string, nth: number): string {
  return JSON.stringify({
    username,
    password,
    protocol: "imap",
    method: "plain",
    client_ip: `203.0.${113 + ((nth >> 8) & 7)}.${nth & 255}`,
    client_port: String(20_000 + nth),
    client_hostname: `client-${nth}.isp.example`,
    client_id: "name=Mail version=128.4.3",
    external_session_id: `5f0c7b1e-2f34-4d0a-9f7e-${String(nth).padStart(12, "0")}`,
    user_agent: "Mail/128.4.3 (bench)",
    local_ip: "192.0.2.25",
    local_port: "993",
    ssl: "on",
    ssl_protocol: "TLSv1.3",
    ssl_cipher: "TLS_AES_256_GCM_SHA384",
  });
}

/** Writes a file of bodies, one a line, for users spread evenly over the directory. */
export async function writeBodies(folder: string, name: string, options: BodiesOptions): Promise<string> {
  const { username = mailOf, password, users } = options;
  const lines = Math.min(users, maxLines);
  const file = join(folder, `${name}.bodies`);
  const bodies = Array.from({ length: lines }, (_, line) => {
    const nth = Math.floor((line * users) / lines);
    return body(username(nth), password, line);
  });
  await writeFile(file, `${bodies.join("\n")}\n`);
  return file;
}
