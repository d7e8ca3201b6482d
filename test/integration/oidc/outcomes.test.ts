import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { systemClock } from "@postern/shared/platform/time";
import { spawnRedis } from "@postern/testing";
import { expect, test } from "vitest";
import { createOutcomes } from "../../../services/idp/src/oidc/storage/outcomes-redis.ts";
import { testRedis } from "../../support/redis-content.ts";

const keys = createKeyRing([new Secret("test-encryption-secret")], "oidc");
const outcome = { status: 302, headers: { location: "https://app.example.test/?code=x" }, body: "" };

test("if Redis fails, every read of an outcome is a temporary failure, also one that is waiting", async () => {
  const server = await spawnRedis();
  const redis = await testRedis(server.port);
  const outcomes = createOutcomes(redis, "postern:", keys, systemClock);
  expect(await outcomes.claim("one", "browser")).toBe(true);
  const waiting = outcomes.wait("one", "browser").then(
    () => "decided",
    (error: unknown) => error,
  );
  await server[Symbol.asyncDispose]();
  const failed = { code: "REDIS_UNAVAILABLE" };
  expect(await waiting).toMatchObject(failed);
  await expect(outcomes.claim("two", "browser")).rejects.toMatchObject(failed);
  await expect(outcomes.keep("one", "browser", outcome)).rejects.toMatchObject(failed);
  await expect(outcomes.release("one")).rejects.toMatchObject(failed);
  await expect(outcomes.isKnown("one")).rejects.toMatchObject(failed);
  redis.disconnect();
});
