import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHeaderParser } from "../../../services/gateway/src/dialects/header.ts";
import { alice } from "../../support/ask-json.ts";
import { defaultHeaderNames } from "../../support/header-names.ts";
import { connectLines } from "../../support/line-client.ts";
import { type NginxSetting, repository, startNginxSetting } from "./nginx-setting.ts";

let setting: NginxSetting;

beforeAll(async () => {
  setting = await startNginxSetting();
});

afterAll(() => setting[Symbol.asyncDispose]());

const denial = "Invalid login or password";
const temporary = "Temporary server problem, try again later";
const { username, password } = alice;
const saslPlain = (user: string, secret: string): string => Buffer.from(`\0${user}\0${secret}`).toString("base64");

test.each(["deploy/nginx/mail.conf", "deploy/nginx/postern.yaml"])("docs/connect/nginx.md shows %s", async (file) => {
  const page = await readFile(join(repository, "docs/connect/nginx.md"), "utf8");
  expect(page).toContain(await readFile(join(repository, file), "utf8"));
});

describe("IMAP", () => {
  test("a login reaches the mail server under the account's name", async () => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    expect(await client.until(/^a1 /)).toBe("a1 OK signed in at the backend");
    expect(setting.mailServers.imap.logins).toContainEqual({ user: username, password });
  });

  test("a password with spaces, percent signs and umlauts arrives unchanged", async () => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    client.send("a1 AUTHENTICATE PLAIN");
    await client.until(/^\+/);
    client.send(saslPlain("bob@example.test", "100% wröng + %41"));
    expect(await client.until(/^a1 /)).toBe(`a1 NO [AUTHENTICATIONFAILED] ${denial}`);
    const request = setting.recorder.sent.at(-1) ?? "";
    expect(request).toContain("Auth-Pass: 100%25%20wr");
    const rawHeaders = rawHeadersOf(request);
    expect(parse(rawHeaders)).toMatchObject({ username: "bob@example.test", password: "100% wröng + %41" });
  });

  test.each([
    ["a space", "a b@example.test"],
    ["a Windows domain", "DOMAIN\\user"],
    ["quotes", '"quoted"@example.test'],
    ["an umlaut", "müller@example.test"],
    ["a percent sign and brackets", "100% (work)"],
  ])("an unknown user's name with %s is a failed login", async (_what, user) => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    client.send("a1 AUTHENTICATE PLAIN");
    await client.until(/^\+/);
    client.send(saslPlain(user, "x"));
    expect(await client.until(/^a1 /)).toBe(`a1 NO [AUTHENTICATIONFAILED] ${denial}`);
    expect(parse(rawHeadersOf(setting.recorder.sent.at(-1) ?? ""))).toMatchObject({ username: user });
  });

  test.each([
    ["bytes that are not UTF-8", Buffer.from("m\u00fcller@example.test", "latin1")],
    ["a control character", Buffer.from("ali\u0007ce@example.test")],
  ])("a name with %s is a failed login too", async (_what, user) => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    client.send("a1 AUTHENTICATE PLAIN");
    await client.until(/^\+/);
    client.send(Buffer.concat([Buffer.of(0), user, Buffer.from("\0x")]).toString("base64"));
    expect(await client.until(/^a1 /)).toBe(`a1 NO [AUTHENTICATIONFAILED] ${denial}`);
  });

  test("a wrong password is answered after a delay with the site's text, and the user may try again", async () => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    const started = performance.now();
    client.send(`a1 LOGIN ${username} wrong`);
    expect(await client.until(/^a1 /)).toBe(`a1 NO [AUTHENTICATIONFAILED] ${denial}`);
    expect(performance.now() - started).toBeGreaterThanOrEqual(950);
    client.send(`a2 LOGIN ${username} ${password}`);
    expect(await client.until(/^a2 /)).toBe("a2 OK signed in at the backend");
    expect(setting.recorder.sent.at(-1)).toContain("Auth-Login-Attempt: 2");
  });

  test("client certificate: the result of nginx's verification reaches the gateway", async () => {
    const cert = await readFile(join(setting.folder, "client.crt"));
    const key = await readFile(join(setting.folder, "client.key"));
    await using client = await connectLines(setting.ports.imaps, { cert, key, rejectUnauthorized: false });
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    await client.until(/^a1 OK/);
    const request = parse(rawHeadersOf(setting.recorder.sent.at(-1) ?? ""));
    expect(request.tls).toBe(true);
    expect(request.tlsDetails).toMatchObject({
      clientVerify: "SUCCESS",
      clientDn: "CN=alice,O=Example",
      issuer: "CN=Clients",
      serial: "1267",
      fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
      protocol: "TLSv1.3",
      cipher: expect.stringMatching(/^TLS_/),
    });
  });

  test("TLS without a client certificate", async () => {
    await using client = await connectLines(setting.ports.imaps, { rejectUnauthorized: false });
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    await client.until(/^a1 OK/);
    const request = parse(rawHeadersOf(setting.recorder.sent.at(-1) ?? ""));
    expect(request).toMatchObject({ tls: true, tlsDetails: { clientVerify: "NONE" } });
  });
});

describe("POP3", () => {
  test("a login reaches the mail server", async () => {
    await using client = await connectLines(setting.ports.pop3);
    await client.until(/^\+OK/);
    client.send(`USER ${username}`);
    await client.until(/^\+OK/);
    client.send(`PASS ${password}`);
    expect(await client.until(/^[+-]/)).toBe("+OK at the backend");
    expect(setting.mailServers.pop3.logins).toContainEqual({ user: username, password });
  });

  test("a wrong password is answered after a delay with the site's text, over TLS too", async () => {
    await using client = await connectLines(setting.ports.pop3s, { rejectUnauthorized: false });
    await client.until(/^\+OK/);
    client.send(`USER ${username}`);
    await client.until(/^\+OK/);
    const started = performance.now();
    client.send("PASS wrong");
    expect(await client.until(/^[+-]/)).toBe(`-ERR [AUTH] ${denial}`);
    expect(performance.now() - started).toBeGreaterThanOrEqual(950);
  });
});

describe("SMTP", () => {
  test("the mail server receives the account's name by XCLIENT", async () => {
    await using client = await connectLines(setting.ports.submission);
    await client.until(/^220/);
    client.send("EHLO client.example.test");
    await client.until(/^250 /);
    client.send(`AUTH PLAIN ${saslPlain(username, password)}`);
    expect(await client.until(/^\d/)).toMatch(/^235 /);
    expect(setting.mailServers.smtp.logins).toContainEqual({ user: username });
  });

  test("a wrong password is answered with 535 after the delay, over TLS too", async () => {
    await using client = await connectLines(setting.ports.submissions, { rejectUnauthorized: false });
    await client.until(/^220/);
    client.send("EHLO client.example.test");
    await client.until(/^250 /);
    const started = performance.now();
    client.send(`AUTH PLAIN ${saslPlain(username, "wrong")}`);
    expect(await client.until(/^\d/)).toBe(`535 5.7.0 ${denial}`);
    expect(performance.now() - started).toBeGreaterThanOrEqual(950);
  });
});

describe("while no engine can decide", () => {
  beforeAll(async () => {
    await Promise.all(setting.stack.engines.map((engine) => engine.stop()));
  });

  test("IMAP reports it and closes the connection", async () => {
    await using client = await connectLines(setting.ports.imap);
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    expect(await client.until(/^a1 /)).toBe(`a1 NO [UNAVAILABLE] ${temporary}`);
    expect(await client.next()).toBeUndefined();
  });

  test("POP3 reports it and closes the connection", async () => {
    await using client = await connectLines(setting.ports.pop3);
    await client.until(/^\+OK/);
    client.send(`USER ${username}`);
    await client.until(/^\+OK/);
    client.send(`PASS ${password}`);
    expect(await client.until(/^[+-]/)).toBe(`-ERR [SYS/TEMP] ${temporary}`);
    expect(await client.next()).toBeUndefined();
  });

  test("SMTP answers 451 4.3.0, after which a client retries, and closes the connection", async () => {
    await using client = await connectLines(setting.ports.submission);
    await client.until(/^220/);
    client.send("EHLO client.example.test");
    await client.until(/^250 /);
    client.send(`AUTH PLAIN ${saslPlain(username, password)}`);
    expect(await client.until(/^\d/)).toBe(`451 4.3.0 ${temporary}`);
    expect(await client.next()).toBeUndefined();
  });
});

const parser = createHeaderParser(defaultHeaderNames(), false);

function rawHeadersOf(request: string): readonly string[] {
  const [, ...lines] = request.split("\r\n\r\n", 1).join("").split("\r\n");
  return lines.flatMap((line) => {
    const colon = line.indexOf(": ");
    return colon === -1 ? [] : [line.slice(0, colon), line.slice(colon + 2)];
  });
}

function parse(rawHeaders: readonly string[]) {
  const facts = {
    session: "s",
    clientIp: "",
    clientPort: "",
    clientIpIsPeer: true,
    userAgent: undefined,
    acceptLanguage: undefined,
  };
  return parser({ url: "", rawHeaders, facts: { ...facts, dialect: "proxy" } });
}
