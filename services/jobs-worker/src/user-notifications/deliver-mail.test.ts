import { systemClock } from "@postern/shared/platform/time";
import { freePort, poll } from "@postern/testing";
import { describe, expect, test } from "vitest";
import { type SmtpStep, startScriptedSmtp } from "../../../../test/support/scripted-smtp.ts";
import { createDeliverNotification } from "./deliver-notification.ts";

const notification = {
  channel: "mail",
  id: "notice-1",
  to: "alice@example.test",
  subject: "A new device",
  text: "Somebody signed in.",
} as const;

interface Sending {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly tls?: "starttls" | "none";
}

function deliver(port: number, { timeoutMs = 30_000, signal, tls = "none" }: Sending = {}) {
  const auth = { user: "postern", pass: "mail-password" };
  const mail = {
    server: { host: "127.0.0.1", port, tls, auth },
    from: "Security <security@mail.example.test>",
    timeoutMs,
  };
  const send = createDeliverNotification({ webhook: undefined, mail }, systemClock);
  return send(notification, signal ?? new AbortController().signal);
}

test("a message that the server queues is delivered; every attempt has the same Message-ID, that of the notification", async () => {
  await using server = await startScriptedSmtp();
  expect(await deliver(server.port)).toBe("delivered");
  expect(await deliver(server.port)).toBe("delivered");
  expect(server.messages).toHaveLength(2);
  for (const message of server.messages) {
    expect(message).toMatch(/^Message-ID: <notice-1@mail\.example\.test>\r$/m);
    expect(message).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(message).toMatch(/^To: alice@example\.test\r$/m);
    expect(message).toMatch(/\r\n\r\nSomebody signed in\./);
  }
  expect(server.commands).toContain("RCPT TO:<alice@example.test>");
});

describe("refused permanently: sender, recipient or message with a permanent code", () => {
  test.each<[SmtpStep, string]>([
    ["MAIL", "550 5.7.1 sender not allowed"],
    ["RCPT", "550 5.1.1 no such user"],
    ["RCPT", "553 5.1.3 bad address"],
    ["DATA", "554 5.5.1 no valid recipients"],
    ["message", "554 5.7.1 message refused"],
    ["message", "552 5.3.4 message too large"],
  ])("%s: %s", async (step, reply) => {
    await using server = await startScriptedSmtp({ [step]: reply });
    expect(await deliver(server.port)).toBe("refused");
  });
});

describe("to be retried: a transient code, or one that the site can correct", () => {
  test.each<[SmtpStep, string]>([
    ["greeting", "421 4.3.2 shutting down"],
    ["greeting", "554 5.3.2 no service here"],
    ["EHLO", "421 4.3.2 shutting down"],
    ["AUTH", "454 4.7.0 directory unavailable"],
    ["AUTH", "535 5.7.8 wrong password"],
    ["MAIL", "451 4.3.0 try again"],
    ["RCPT", "450 4.2.1 greylisted"],
    ["RCPT", "452 4.2.2 mailbox full"],
    ["DATA", "451 4.3.0 try again"],
    ["message", "451 4.3.0 try again"],
    ["message", "452 4.3.1 disk full"],
  ])("%s: %s", async (step, reply) => {
    await using server = await startScriptedSmtp({ [step]: reply });
    await expect(deliver(server.port)).rejects.toThrow(reply);
    if (step !== "message") expect(server.messages).toEqual([]);
  });

  test("the server is not running", async () => {
    await expect(deliver(await freePort())).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNREFUSED|ESOCKET/),
    });
  });

  test.each<SmtpStep>(["greeting", "EHLO", "RCPT", "message"])("the server hangs at: %s", async (step) => {
    await using server = await startScriptedSmtp({ [step]: "silent" });
    await expect(deliver(server.port, { timeoutMs: 300 })).rejects.toThrow(/time|never received/i);
  });

  test("the server does not offer the required STARTTLS: neither password nor message is sent", async () => {
    await using server = await startScriptedSmtp();
    await expect(deliver(server.port, { tls: "starttls" })).rejects.toThrow("STARTTLS");
    expect(server.commands.filter((command) => /^(AUTH|MAIL)/.test(command))).toEqual([]);
  });

  test("the worker is closed while the server hangs", async () => {
    await using server = await startScriptedSmtp({ RCPT: "silent" });
    const closing = new AbortController();
    const delivery = deliver(server.port, { signal: closing.signal });
    await poll("the server to have the recipient", () => server.commands.join().includes("RCPT"));
    closing.abort();
    await expect(delivery).rejects.toThrow("the server did not answer in time");
  });
});

test("without a configured mail server, queued mails are refused", async () => {
  const send = createDeliverNotification({ webhook: undefined, mail: undefined }, systemClock);
  expect(await send(notification, new AbortController().signal)).toBe("refused");
});
