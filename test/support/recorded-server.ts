import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A request as the server received it. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RecordedServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
}

/** Response headers of Nauthilus: the word of its own name, and none of the others that Postern sends. */
const names = { "x-nauthilus-session": "2f7A0cBv9wq", "x-nauthilus-memory-cache": "Miss" };
const json = { ...names, "content-type": "application/json; charset=utf-8" };

const success = {
  ok: true,
  account_field: "mailAccount",
  totp_secret_field: "mailTOTPSecret",
  backend: 2,
  attributes: {
    mailAccount: ["alice@example.test"],
    mail: ["alice@example.test", "a.demo@example.test"],
    mailQuota: [512],
  },
};

type Respond = (response: ServerResponse) => void;

const deny: Respond = (response) =>
  response.writeHead(403, { ...json, "auth-status": "FAIL", "auth-wait": "3" }).end("null");
const admit =
  (body: unknown, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(200, { ...json, "auth-status": "OK", ...headers }).end(JSON.stringify(body));

/** What a lying or failing server answers, by the local part of the user name. */
export const misbehaviour: Readonly<Record<string, Respond>> = {
  hung: () => undefined,
  stalled: (response) => {
    response.writeHead(200, { ...json, "auth-status": "OK" });
    response.write('{"ok":true,');
  },
  huge: admit({ ...success, attributes: { mailAccount: ["x".repeat(300_000)] } }),
  endless: (response) => {
    response.writeHead(200, { ...json, "auth-status": "OK" });
    const write = (): void => void (response.destroyed || (response.write("x".repeat(16_384)), setImmediate(write)));
    write();
  },
  truncated: (response) => {
    response.writeHead(200, { ...json, "auth-status": "OK", "content-length": "1000" });
    response.write('{"ok":true,', () => response.destroy());
  },
  contradictory: admit(success, { "auth-status": "FAIL" }),
  objectless: admit(null),
  page: (response) =>
    response.writeHead(200, { "content-type": "text/html", "auth-status": "OK" }).end("<html></html>"),
  firewall: (response) => response.writeHead(403, { "content-type": "text/html" }).end("<html>forbidden</html>"),
  limited: (response) => response.writeHead(429, json).end("{}"),
  broken: (response) => response.writeHead(500, { ...json, "auth-status": "Temporary failure" }).end('{"error":"x"}'),
  moved: (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
};

/** More than one page. */
export const recordedAccounts: readonly string[] = Array.from({ length: 1200 }, (_, index) => `u${index}@example.test`);

function list(protocol: unknown): Respond {
  return (response) => {
    response.writeHead(200, { ...names, "content-type": "text/plain", "auth-status": "OK" });
    if (protocol === "broken-list") response.write("alice@example.test\r\nbob@exa", () => response.destroy());
    else response.end(recordedAccounts.join("\r\n"));
  };
}

function respond(path: string, { username, password, protocol }: RecordedRequest["fields"]): Respond {
  const { searchParams } = new URL(path, "http://localhost");
  const mode = searchParams.get("mode");
  const [name = ""] = String(username).split("@");
  if (mode === "list-accounts") return list(protocol);
  const odd = Object.hasOwn(misbehaviour, name) ? misbehaviour[name] : undefined;
  if (odd !== undefined) return odd;
  return name === "alice" && (mode === "no-auth" || password === "alice-demo-password") ? admit(success) : deny;
}

/** A server that answers as Nauthilus does, on a given port or a free one. */
export async function startRecordedServer(port = 0): Promise<RecordedServer> {
  const requests: RecordedRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields: RecordedRequest["fields"] = JSON.parse(await text(request));
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, fields });
    respond(path, fields)(response);
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no TCP address");
  return {
    port: address.port,
    requests,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
