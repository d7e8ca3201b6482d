import { join } from "node:path";
import type { AppError } from "@postern/shared/platform/errors";
import { type NatsServer, poll, scratchFolder, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate } from "../../support/certificates.ts";
import { echo, makeBus, securityWith, soon } from "./bus-fixture.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let nats: NatsServer;

beforeAll(async () => {
  folder = await scratchFolder();
  await makeCertificate(folder.path, "nats", "/CN=nats.example.test");
  const file = (suffix: string): string => join(folder.path, `nats.${suffix}`);
  nats = await spawnNats({ config: `tls { cert_file: "${file("crt")}", key_file: "${file("key")}" }` });
});

afterAll(async () => {
  await nats[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Sends a request to itself over NATS. */
async function answerOf(skipsVerification: boolean): Promise<unknown> {
  const security = securityWith({}, { enabled: true, skip_verify: skipsVerification });
  await using bus = await makeBus(nats.url, { security });
  bus.serve(echo, async ({ text }) => ({ text }));
  return await bus.request(echo, { text: "encrypted" }, soon(2000)).catch(({ code }: AppError) => code);
}

test("a server's certificate from an unknown authority is rejected, and accepted with `skip_verify`", async () => {
  expect(await answerOf(false)).toBe("BUS_DISCONNECTED");
  const answer = await poll("a reply", async () => {
    const answered = await answerOf(true);
    return typeof answered === "object" ? answered : undefined;
  });
  expect(answer).toEqual({ text: "encrypted" });
});
