import { connect } from "@nats-io/transport-node";
import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallersStack, jwtSecret, startCallersStack } from "../../support/callers-stack.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { basicAuth } from "../../support/stack.ts";

const operatorHash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";
const operator = { username: "canary-operator-7c1e", password: "demo-operator-password" };
const mailUser = { username: "canary-mail-user-91b2", password: "canary-mail-password-5d0a" };
const stranger = { username: "canary-stranger-33af", password: "canary-stranger-password-8e4c" };
const wrongBasic = { username: "canary-basic-user-a3d9", password: "canary-basic-password-f61b" };
const subject = "canary-subject-20c7";

interface BusMessage {
  readonly subject: string;
  readonly bytes: string;
}

const isAudit = (line: string): boolean => line.includes('"audit":true');
const isDecision = (line: string): boolean => line.includes('"msg":"decided"');
const isAuthRequest = ({ subject }: BusMessage): boolean => /\.rpc\.auth-engine\.authenticate[.-]/.test(subject);

let stack: CallersStack;
const onTheBus: BusMessage[] = [];
let connection: Awaited<ReturnType<typeof connect>>;

beforeAll(async () => {
  stack = await startCallersStack({
    shape: "five",
    jwt: { users: [{ ...operator, password: operatorHash, roles: ["admin"] }] },
  });
  connection = await connect({ servers: stack.nats.url });
  connection.subscribe(">", {
    callback: (_error, { subject, data }) =>
      void onTheBus.push({ subject, bytes: Buffer.from(data).toString("latin1") }),
  });
  await connection.flush();
});

afterAll(async () => {
  await connection.close();
  await stack[Symbol.asyncDispose]();
});

async function send(path: string, headers: Readonly<Record<string, string>>, body?: object): Promise<string> {
  const json = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${stack.url}${path}`, {
    ...json,
    headers: { "content-type": "application/json", ...headers },
  });
  return response.text();
}

function tokensIn(body: string): readonly string[] {
  const parsed: unknown = JSON.parse(body);
  return Object.values(Object(parsed)).filter((value) => typeof value === "string");
}

/** All ways of authenticating, with right and wrong credentials, while Redis answers and while it hangs. */
async function everyCall(tokens: readonly string[]): Promise<readonly string[]> {
  const body = { ...mailUser, protocol: "imap" };
  const wrong = Buffer.from(`${wrongBasic.username}:${wrongBasic.password}`).toString("base64");
  await Promise.all([
    send("/api/v1/auth/json", { authorization: basicAuth }, body),
    send("/api/v1/auth/json", { authorization: `Basic ${wrong}` }, body),
    ...tokens.flatMap((token) => [
      send("/api/v1/auth/json", { authorization: `Bearer ${token}` }, body),
      send("/api/v1/config/load", { authorization: `Bearer ${token}` }),
      send("/api/v1/jwt/refresh", { "x-refresh-token": token }, {}),
    ]),
    send("/api/v1/jwt/token", {}, stranger),
    send("/api/v1/jwt/token", {}, { ...operator, password: stranger.password }),
  ]);
  const issued = tokensIn(await send("/api/v1/jwt/token", {}, operator)).filter((text) => text.includes("."));
  await Promise.all(
    issued.flatMap((token) => [
      send("/api/v1/config/load", { authorization: `Bearer ${token}` }),
      send("/api/v1/jwt/refresh", { "x-refresh-token": token }, {}),
    ]),
  );
  return issued;
}

async function privatePages(): Promise<string> {
  const pages = await Promise.all(stack.services.map((service) => service.metrics()));
  return pages.join("\n");
}

test("credentials, tokens and user names of API callers do not appear in logs, metrics, on the bus or in Redis", async () => {
  const good = await stack.issuer.token({ sub: subject, client_id: subject });
  const tokens = [good, await stack.issuer.token({ sub: subject, exp: 1 }), await stack.issuer.token({ aud: "x" })];
  const issued = await everyCall(tokens);
  expect(issued).toHaveLength(2);
  const redis = await testRedis(stack.redis.port);
  const stored = await redisContent(redis);
  redis.disconnect();
  expect(stored).toContain("jwt:refresh:");
  await pause(stack.redis);
  await everyCall(tokens);
  stack.redis.signal("SIGCONT");
  const logs = (): string => stack.services.map((service) => service.output()).join("\n");
  await poll("the last log lines", () => /"reason":"unavailable"/.test(logs()));

  const signatures = [...tokens, ...issued].map((token) => token.slice(token.lastIndexOf(".") + 1));
  const secrets = [
    ...signatures,
    ...[mailUser, stranger, wrongBasic].map(({ password }) => password),
    operator.password,
    operatorHash,
    jwtSecret,
    basicAuth.slice("Basic ".length),
    "demo-backchannel-secret",
  ];
  const callers = [operator.username, stranger.username, wrongBasic.username, subject];

  const outputs = { logs: logs(), metrics: await privatePages(), stored };
  for (const [where, text] of Object.entries(outputs)) {
    for (const canary of secrets) expect(text.includes(canary), `${canary} in ${where}`).toBe(false);
  }
  // By design, the audit stream and the lines of decisions name API callers that proved who they are, and no others; all other outputs
  // name none.
  const [audit = [], log = []] = [true, false].map((kind) =>
    outputs.logs.split("\n").filter((line) => isAudit(line) === kind),
  );
  for (const canary of callers) {
    const others = log.filter((line) => !isDecision(line)).join("\n");
    for (const text of [others, outputs.metrics, outputs.stored]) expect(text).not.toContain(canary);
  }
  for (const canary of [stranger.username, wrongBasic.username]) expect(outputs.logs).not.toContain(canary);
  expect(audit.some((line) => line.includes(operator.username))).toBe(true);
  const bySubject = log.filter((line) => line.includes(subject));
  expect(bySubject.length).toBeGreaterThan(0);
  expect(bySubject.every((line) => line.includes(`"caller":"${subject}"`))).toBe(true);
  // By design, the decision log names the mail user; all other outputs do not.
  const naming = outputs.logs.split("\n").filter((line) => line.includes(mailUser.username));
  expect(naming.length).toBeGreaterThan(0);
  expect(naming.every(isDecision)).toBe(true);
  for (const text of [outputs.metrics, outputs.stored]) expect(text).not.toContain(mailUser.username);

  // By design, a request to the engine carries the user and the password; no other message on the bus does.
  expect(onTheBus.filter(isAuthRequest).length).toBeGreaterThan(0);
  const others = onTheBus
    .filter((message) => !isAuthRequest(message))
    .map(({ subject, bytes }) => `${subject} ${bytes}`);
  for (const canary of [...secrets, ...callers, mailUser.username]) {
    expect(
      others.some((text) => text.includes(canary)),
      `${canary} on the bus`,
    ).toBe(false);
  }
  const requests = onTheBus.filter(isAuthRequest).map(({ bytes }) => bytes);
  for (const canary of [...signatures, wrongBasic.password, "demo-backchannel-secret", jwtSecret]) {
    expect(
      requests.some((text) => text.includes(canary)),
      `${canary} in a request`,
    ).toBe(false);
  }
});
