import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "@postern/testing";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expect, test } from "vitest";
import { mailModule } from "./mail.ts";

interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

async function smtpServer(options: SMTPServerOptions = {}) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    logger: false,
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => void parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : (mailFrom?.address ?? "");
        taken.push({ from, to: rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString() });
        done();
      });
    },
    ...options,
  });
  const port = await freePort();
  const listening = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  return {
    taken,
    address: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(closed.resolve);
      return closed.promise;
    },
  };
}

const message = {
  from: "postern@example.test",
  to: ["admin@example.test", "other@example.test"],
  subject: "Ban",
  text: "192.0.2.1 is banned",
  tls: "none",
};

function send(allowedServers: readonly string[], changed: Record<string, string> = {}, timeoutMs = 60_000) {
  const run = mailModule({ allowed_servers: allowedServers, timeout: timeoutMs, max_message_bytes: 1000 })["mail.send"];
  const context = { script: "x.lua", deadline: Date.now() + 60_000, signal: AbortSignal.timeout(60_000) };
  if (run === undefined) throw new Error("no mail.send");
  return run([{ ...message, ...changed }], context);
}

test("a message reaches its recipients through the first allowed server", async () => {
  await using server = await smtpServer();
  expect(await send([server.address])).toBe(true);
  const [taken] = server.taken;
  expect(taken).toMatchObject({ from: message.from, to: message.to });
  expect(taken?.text).toContain("Subject: Ban\r\n");
  expect(taken?.text).toContain(message.text);
});

test("a line break in a subject or an address adds neither a header nor a recipient", async () => {
  await using server = await smtpServer();
  const trick = "x\r\nBcc: victim@example.test";
  await send([server.address], { subject: trick });
  await send([server.address], { from: `${trick} <a@example.test>` }).catch(() => undefined);
  expect(server.taken.length).toBeGreaterThanOrEqual(1);
  for (const { to, text } of server.taken) {
    expect(to).toEqual(message.to);
    expect(text).not.toMatch(/^Bcc:/m);
  }
});

test("other servers are rejected before anything is sent", async () => {
  await using server = await smtpServer();
  await expect(send(["smtp.example.test:25"], { server: server.address })).rejects.toThrow("not among the allowed");
  await expect(send([])).rejects.toThrow("not among the allowed");
  expect(server.taken).toEqual([]);
});

test("without TLS nothing is sent unless the script allows it, and never a password", async () => {
  await using server = await smtpServer();
  await expect(send([server.address], { tls: "starttls" })).rejects.toThrow(/STARTTLS/i);
  await expect(send([server.address], { username: "u", password: "p" })).rejects.toThrow("a password requires TLS");
  expect(server.taken).toEqual([]);
});

test("a message that the server rejects causes an error with the server's response", async () => {
  await using server = await smtpServer({ onRcptTo: (_to, _session, done) => done(new Error("no such mailbox")) });
  await expect(send([server.address])).rejects.toThrow("no such mailbox");
});

test("one rejected recipient of several causes an error", async () => {
  await using server = await smtpServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("other") ? new Error("no such mailbox") : null),
  });
  await expect(send([server.address])).rejects.toThrow("did not accept every recipient");
});

test("a message that is too large is rejected", async () => {
  await using server = await smtpServer();
  await expect(send([server.address], { text: "x".repeat(1001) })).rejects.toThrow("too large");
});

test("a server that accepts the connection but does not respond times out, and the connection is closed", async () => {
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.resume();
    socket.once("close", () => ended.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await expect(send([`127.0.0.1:${port}`], {}, 200)).rejects.toThrow(/in time|never received/);
  await ended.promise;
  server.close();
});
